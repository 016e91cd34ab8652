import { nativeConfig } from "../../test/support/opencode/native.ts";
import { type Contestant, throughParley } from "../harness/contestant.ts";
import { type Heard, heard, Passed } from "../harness/paced.ts";
import { startParley } from "../harness/server.ts";
import type { Both } from "../harness/versus.ts";
import { readEvent } from "../opencode/deltas.ts";
import type { Stage } from "../opencode/stage.ts";
import type { Asking, PlainServer } from "./plain.ts";

/** Parley with OpenCode as its agent: on a server that runs already, or on one that it starts. */
export async function startDriving(
  scope: AsyncDisposableStack,
  { program, surroundings, directory, modelUrl }: Stage,
  asking: Asking,
  url?: string,
): Promise<Contestant> {
  const settings = { PARLEY_OPENCODE_BIN: program, OPENCODE_CONFIG_CONTENT: JSON.stringify(nativeConfig(modelUrl)) };
  const env = { ...surroundings.env(settings, "driven"), OPENCODE_SERVER_PASSWORD: undefined };
  const flags = ["--dir", directory, ...(url === undefined ? [] : ["--opencode-url", url])];
  return throughParley(await startParley(scope, { flags, env }), { agent: "opencode", ...asking });
}

/** One turn that is heard by a client behind another server, such as Parley's, and by the plain reader of the server that works on it. */
export async function hearTwice(
  plain: Pick<PlainServer, "listen">,
  sent: Passed,
  turn: () => Promise<Heard>,
): Promise<Both<Heard>> {
  const seen = new Passed();
  const read = readEvent();
  const stop = plain.listen({
    data: (data, now) => seen.note(read(data)?.text ?? "", now),
    fail: () => {},
  });
  try {
    const parley = await turn();
    return { native: heard(sent, seen, parley.began), parley };
  } finally {
    stop();
  }
}
