import { relative, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SessionState } from "../../core/session-state.ts";
import type { Log } from "../../log/contract.ts";
import { parentOf } from "./projection/session-shape.ts";
import { projectOf } from "./workspace/project.ts";

/** How many sessions are looked at between two chances for others. */
const CHUNK = 200;

export interface ListQuery {
  /** The directory whose project is asked for. */
  directory: string;
  /** Whether only that directory itself is meant. */
  exactly: boolean;
  /** Only what lies at or below this path of the project. */
  path?: string;
  /** Without those that work for another session. */
  roots?: boolean;
  /** Only what changed since. */
  start?: number;
  /** A part of the title. */
  search?: string;
  limit: number;
}

async function* allSessions(log: Log, directory: string | undefined): AsyncGenerator<SessionState> {
  for (let after: string | undefined; ; ) {
    const page = await log.list({
      limit: CHUNK,
      ...(directory === undefined ? {} : { directory }),
      ...(after === undefined ? {} : { after }),
    });
    yield* page;
    after = page.at(-1)?.id;
    if (page.length < CHUNK) return;
    await nextTurn();
  }
}

function isBelow(directory: string, path: string): boolean {
  const { root } = projectOf(directory);
  const own = relative(root, directory).split(sep).join("/");
  return own === path || own.startsWith(`${path}/`);
}

/** Whether a session is in the place that a list is about. The parts of a project are told apart by their paths. */
function placed(query: ListQuery): (state: SessionState) => boolean {
  const { directory, exactly, path } = query;
  if (exactly && path === undefined) return (state) => state.directory === directory;
  const { id } = projectOf(directory);
  return (state) => projectOf(state.directory).id === id && (!path || isBelow(state.directory, path));
}

/** Sessions as a client lists them: the one that changed last comes first. */
export async function listSessions(log: Log, query: ListQuery): Promise<SessionState[]> {
  const { directory, exactly, path, roots, start = 0, limit } = query;
  const search = query.search?.toLowerCase();
  const here = placed(query);
  let found: SessionState[] = [];
  for await (const state of allSessions(log, exactly && path === undefined ? directory : undefined)) {
    if (state.updated < start || (roots && parentOf(state) !== undefined) || !here(state)) continue;
    if (search && !(state.title ?? "").toLowerCase().includes(search)) continue;
    found.push(state);
    // Kept small on the way, so that a long list costs no more memory than its answer.
    if (found.length >= 2 * limit + CHUNK) found = newest(found, limit);
  }
  return newest(found, limit);
}

function newest(states: readonly SessionState[], limit: number): SessionState[] {
  return states.toSorted((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1)).slice(0, limit);
}

/** Sub-agents' sessions, and those that clients made for a session. */
export async function childrenOf(log: Log, { id, directory }: SessionState): Promise<SessionState[]> {
  const children: SessionState[] = [];
  for await (const state of allSessions(log, directory)) if (parentOf(state) === id) children.push(state);
  return children;
}
