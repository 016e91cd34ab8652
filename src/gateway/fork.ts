import type { Agent, Project } from "../agents/contract.ts";
import { messageOf, ParleyError } from "../core/errors.ts";
import type { Draft } from "../core/events/event.ts";
import { SCHEMA_VERSION } from "../core/events/version.ts";
import { copyHistory } from "../core/history/copy.ts";
import { lastPoint } from "../core/history/points.ts";
import { present } from "../core/json/fields.ts";
import { revertOf } from "../core/ledger/revert.ts";
import type { Create } from "../core/ledger/state.ts";
import type { SessionState } from "../core/session-state.ts";
import type { Log } from "../log/contract.ts";
import { readEvents } from "./read-events.ts";

const NUMBERED = /^(.*) \(fork #(\d+)\)$/s;

/** `Title`, `Title (fork #1)`, `Title (fork #2)`. */
export function forkedTitle(title: string): string {
  const [, name = title, number = "0"] = NUMBERED.exec(title) ?? [];
  return `${name} (fork #${Number(number) + 1})`;
}

type Forking = Pick<Agent, "name" | "capabilities" | "fork" | "copyAt">;

/** The beginning of a session with the history of another one, all of it or the part before a message. */
export async function forkOf(
  log: Log,
  state: SessionState,
  agent: Forking,
  project: Project,
  before?: string,
): Promise<Create> {
  if (state.parent !== undefined)
    throw new ParleyError("unsupported", "a sub-agent's session cannot be forked: fork the one that it belongs to");
  if (!agent.capabilities?.fork) {
    const why = "it keeps its memory of a session to itself";
    throw new ParleyError("unsupported", `agent ${agent.name} cannot go on from another session's past: ${why}`);
  }
  const { id: source, directory, title, titled, model, mode, options, mcpServers, permissions } = state;
  const copied = copyHistory(await readEvents(log, source, 0), { before, without: revertOf(state.meta)?.cut.turns });
  if (!copied) throw new ParleyError("not_found", `no message ${before} in session ${source}`);
  const memory = await memoryOf(agent, project, state, copied, before);
  const facts = present({ ...memory, model, mode, options, mcpServers, permissions });
  const forked = { session: source, ...(before === undefined ? {} : { before }) };
  const data = { agent: agent.name, directory, version: SCHEMA_VERSION, ...facts, forked };
  return {
    type: "create",
    started: data,
    source: "parley",
    fork: { history: copied, facts: title ? present({ title: forkedTitle(title), titled }) : {} },
  };
}

/** The fork's memory: a copy of the agent's own session; nothing where the agent's memory is the log, or where it has said nothing in the copied turns. */
async function memoryOf(
  agent: Forking,
  project: Project,
  state: SessionState,
  copied: readonly Draft[],
  before: string | undefined,
): Promise<{ nativeId?: string | undefined; toRewind?: string[][] }> {
  switch (agent.capabilities?.fork) {
    case "native":
      return { nativeId: await copyNatively(agent, project, state, before) };
    case "point": {
      const point = pointOf(agent.name, copied);
      if (point === undefined) return {};
      // The agent of an imported session has no memory of it: the fork's is told the conversation, too.
      if (state.nativeId === undefined) return { toRewind: [[]] };
      return { nativeId: agent.copyAt?.(state.nativeId, point) };
    }
    default:
      return {};
  }
}

/** The point of the agent's memory that these events end with; undefined where it has said nothing in them. */
export function pointOf(agent: string, events: Parameters<typeof lastPoint>[0]): string | undefined {
  const { point, untold } = lastPoint(events);
  if (!untold) return point;
  const why = "they are from before Parley noted where in its memory they end";
  throw new ParleyError("unsupported", `agent ${agent} cannot go on from these turns: ${why}`);
}

/** Has the agent copy its own session, which it can only as a whole: as it is between two turns. */
async function copyNatively(
  { name, fork }: Forking,
  project: Project,
  { nativeId, turn, meta, toRewind = [] }: SessionState,
  before: string | undefined,
): Promise<string | undefined> {
  if (before !== undefined || revertOf(meta))
    throw new ParleyError("unsupported", `agent ${name} can only copy a session as a whole: fork it without a message`);
  if (toRewind.length > 0)
    throw new ParleyError("unsupported", `agent ${name} still remembers turns that were taken back: prompt it first`);
  if (turn) throw new ParleyError("busy", `agent ${name} copies a session only between two turns; stop it first`);
  if (nativeId === undefined) return undefined;
  try {
    return await fork?.(project, nativeId);
  } catch (error) {
    throw new ParleyError("unavailable", `agent ${name} could not copy its session: ${messageOf(error)}`);
  }
}
