import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConfiguredAgent } from "../../src/server/agents.ts";
import { askProbe } from "./probe-file.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { type Cleanup, temporary } from "./server.ts";

/** Milliseconds for which a server's event loop was held up at most, what its main thread worked meanwhile, and for how long others had its processor. */
export interface HeldUp {
  wall: number;
  cpu: number;
  waited: number;
}

export interface Probed extends ServerProcess {
  /** Since it was last asked. */
  heldUp(): Promise<HeldUp>;
}

/** A server whose event loop is watched. */
export async function startProbed(
  t: Cleanup,
  agents: Record<string, ConfiguredAgent>,
  flags: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Probed> {
  const home = await temporary(t, "parley-probed-");
  const file = join(home, "probe");
  const server = await startProcess({
    home,
    agents,
    flags,
    imports: fileURLToPath(new URL("./loop-probe.mjs", import.meta.url)),
    env: { ...env, PARLEY_TEST_PROBE: file },
  });
  t.after(async () => void (await server.end("SIGTERM")));
  return {
    ...server,
    heldUp: () => askProbe<HeldUp>(server.child, file),
  };
}
