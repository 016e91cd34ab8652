import type { Agent } from "../agents/contract.ts";
import { ParleyError } from "../core/errors.ts";
import { SCHEMA_VERSION } from "../core/events/version.ts";
import { copyHistory } from "../core/history/copy.ts";
import { revertOf } from "../core/ledger/revert.ts";
import type { SessionState } from "../core/session-state.ts";
import type { Entry } from "../log/contract.ts";
import type { GatewayOptions } from "./options.ts";
import { readEvents } from "./read-events.ts";

const NUMBERED = /^(.*) \(fork #(\d+)\)$/s;

/** `Title`, `Title (fork #1)`, `Title (fork #2)`. */
export function forkedTitle(title: string): string {
  const [, name = title, number = "0"] = NUMBERED.exec(title) ?? [];
  return `${name} (fork #${Number(number) + 1})`;
}

/** A new session that begins with what was said in another one, all of it or what came before a message. */
export async function fork(
  { log, id: makeId, now }: Pick<GatewayOptions, "log" | "id" | "now">,
  state: SessionState,
  agent: Pick<Agent, "name" | "capabilities">,
  before?: string,
): Promise<string> {
  if (state.parent !== undefined)
    throw new ParleyError("unsupported", "a sub-agent's session cannot be forked: fork the one that it belongs to");
  if (!agent.capabilities?.fork) {
    const why = "it keeps its memory of a session to itself";
    throw new ParleyError("unsupported", `agent ${agent.name} cannot go on from another session's past: ${why}`);
  }
  const { id: source, directory, title, model, mode, options, permissions } = state;
  const copied = copyHistory(await readEvents(log, source, 0), { before, without: revertOf(state.meta)?.cut.turns });
  if (!copied) throw new ParleyError("not_found", `no message ${before} in session ${source}`);
  const given = Object.entries({ model, mode, options, permissions });
  const facts = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const forked = { session: source, ...(before === undefined ? {} : { before }) };
  const data = { agent: agent.name, directory, version: SCHEMA_VERSION, ...facts, forked };
  const id = makeId("session");
  const time = now();
  const entries: Entry[] = [
    { draft: { type: "session.started", time, source: "parley", data } },
    ...copied.map((draft) => ({ draft })),
    // Said last: what was copied is old, the session is not.
    { draft: { type: "session.updated", time, source: "parley", data: title ? { title: forkedTitle(title) } : {} } },
  ];
  const records = await log.append(id, entries, { id });
  await log.fold(id, records.at(-1)?.seq ?? 0);
  return id;
}
