import type { Agents } from "../agents/contract.ts";
import { isCommandName } from "../core/command-name.ts";
import { ParleyError } from "../core/errors.ts";
import type { Draft, ParleyEvent } from "../core/events/event.ts";
import { askKey } from "../core/events/keys.ts";
import { type ExportedSession, readExport } from "../core/history/exported.ts";
import { importedDrafts, newIdsFor } from "../core/history/imported.ts";
import { type Fields, textIn } from "../core/json/fields.ts";
import type { Log } from "../log/contract.ts";
import { enterDirectory, onlyHere } from "./door.ts";
import type { GatewayOptions } from "./options.ts";
import type { LiveSessions } from "./session/live-sessions.ts";
import { SessionStore } from "./session/session-store.ts";

export interface ImportRequest {
  /** The lines of an export. */
  jsonl: string;
  /** The directory of the session here; the one that it had otherwise. */
  directory?: string;
}

interface ImportOptions extends Pick<GatewayOptions, "log" | "agents" | "roots" | "now" | "door"> {
  sessions: LiveSessions;
}

async function isTaken(log: Log, sessions: readonly ExportedSession[]): Promise<boolean> {
  for (const { id, events } of sessions) {
    if (await log.head(id)) return true;
    for (const { type, data } of events) {
      const asked = type === "permission.requested" || type === "question.requested";
      if (asked && (await log.locate(askKey(data.ask)))) return true;
    }
  }
  return false;
}

/** New ids are made to sort behind all events, so that none may be of a time that has not come. */
const notAfter =
  (latest: number) =>
  (event: ParleyEvent): ParleyEvent => ({ ...event, time: Math.min(event.time, latest) });

/** Says of the session that it was imported. An agent with a memory of its own begins anew, and is told how it went so far. */
function imported(from: string, forgets: boolean, time: number): Draft {
  const data = { meta: { imported: { session: from, time } }, ...(forgets ? { toRewind: [[]] } : {}) };
  return { type: "session.updated", time, source: "parley", data };
}

/** The names of agents that an event gives a session, or a prompt in it. */
function agentsIn({ data }: Draft): string[] {
  const { prompt } = data as { prompt?: Fields };
  return [data as Fields, prompt ?? {}].flatMap((holder) => textIn(holder, "agent") ?? []);
}

/** A file must not bring a command line that the next prompt runs: one that is listed was named by the user before. */
function assertNoCommand(drafts: readonly Draft[], agents: Agents): void {
  const listed = new Set(agents.keys());
  const brought = drafts.flatMap(agentsIn).find((name) => isCommandName(name) && !listed.has(name));
  if (brought === undefined) return;
  const how = "name it for a session of your own first if you trust it, then repeat";
  throw new ParleyError(
    "invalid",
    `an agent in it is a command line, which an import does not bring: ${brought}; ${how}`,
  );
}

/** The directory that an exported session had. */
function directoryIn([session]: readonly ExportedSession[]): string | undefined {
  const started = session?.events.find(({ type }) => type === "session.started");
  return textIn((started?.data ?? {}) as Fields, "directory");
}

/** Stores the sessions of an export, and returns the id of the session here: its own where that is free, else a new one. */
export async function importSession(
  { log, agents, roots, now, door = onlyHere, sessions }: ImportOptions,
  request: ImportRequest,
): Promise<string> {
  const latest = now();
  const exported = readExport(request.jsonl).map((one) => ({ ...one, events: one.events.map(notAfter(latest)) }));
  if (request.directory === undefined) await enterDirectory(door, directoryIn(exported));
  const rename = (await isTaken(log, exported)) ? newIdsFor(exported) : new Map<string, string>();
  const here = (id: string): string => rename.get(id) ?? id;
  const stored: SessionStore[] = [];
  try {
    // The session itself comes last: what is listed is whole.
    for (const session of exported.toReversed()) {
      const { id, parent, root } = session;
      const drafts = importedDrafts(session, { directory: request.directory, rename });
      assertNoCommand(drafts, agents);
      const [first] = drafts;
      if (first?.type === "session.started") {
        roots.assert(first.data.directory);
        const forgets = session.events.some(({ type }) => type === "turn.started");
        const remembers = agents.get(first.data.agent)?.capabilities?.fork === true;
        if (root === undefined) drafts.push(imported(id, forgets && !remembers, latest));
      }
      const family = root === undefined ? {} : { parent: here(parent ?? root), root: here(root) };
      const store = new SessionStore({ log, session: { id: here(id), ...family } });
      stored.push(store);
      await store.write(drafts.map((draft) => ({ draft })));
    }
  } catch (error) {
    await Promise.allSettled(stored.map((store) => store.remove()));
    throw error;
  } finally {
    await Promise.allSettled(stored.map((store) => store.release()));
  }
  // A turn that was open is closed as interrupted when its session is loaded.
  for (const { id } of exported) await sessions.use(here(id), async () => {});
  return here(exported[0]?.id ?? "");
}
