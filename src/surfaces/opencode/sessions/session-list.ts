import { relative, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { present } from "../../../core/json/fields.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { Log, RecentQuery, SessionQuery } from "../../../log/contract.ts";
import type { Surface } from "../context.ts";
import { parentOf } from "../projection/session-shape.ts";
import { projectOf } from "../workspace/project.ts";

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

/** The log, and the way to learn the projects of directories that other nodes have. */
export interface Listed {
  log: Log;
  know?: ((directories: Iterable<string>) => Promise<void>) | undefined;
}

export function listedBy({ gateway, elsewhere }: Pick<Surface, "gateway" | "elsewhere">): Listed {
  return { log: gateway.log, know: elsewhere && ((directories) => elsewhere.know(directories)) };
}

/** The sessions of a directory, or all, the one that was made last first. */
export async function* allSessions(
  { log, know }: Listed,
  { directory, ...query }: Omit<SessionQuery, "limit" | "directory"> & { directory?: string | undefined },
): AsyncGenerator<SessionState> {
  const place = directory === undefined ? query : { ...query, directory };
  for (let { after } = query; ; ) {
    const page = await log.list({ ...place, limit: CHUNK, ...(after === undefined ? {} : { after }) });
    await know?.(page.map((state) => state.directory));
    yield* page;
    after = page.at(-1)?.id;
    if (page.length < CHUNK) return;
    await nextTurn();
  }
}

/** Sessions by their last change, as far as they are asked for, some at a time. */
async function* recentSessions({ log, know }: Listed, query: RecentQuery): AsyncGenerator<SessionState[]> {
  let { after, limit } = query;
  for (limit = Math.min(limit + 1, CHUNK); ; limit = CHUNK) {
    const page = await log.recent({ ...query, limit, ...present({ after }) });
    await know?.(page.map((state) => state.directory));
    yield page;
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    after = { updated: last.updated, id: last.id };
    await nextTurn();
  }
}

/** So many of them that fit, the one that changed last first. It costs what has to be looked at to find them. */
export async function lastChanged(
  listed: Listed,
  query: RecentQuery,
  fits: (state: SessionState) => boolean,
): Promise<SessionState[]> {
  const found = new Map<string, SessionState>();
  const take = (page: readonly SessionState[]): void => {
    for (const state of page) if (fits(state)) found.set(state.id, state);
  };
  let since: number | undefined;
  let pages = 0;
  for await (const page of recentSessions(listed, query)) {
    since ??= page[0]?.updated;
    pages += 1;
    take(page);
    if (found.size >= query.limit) break;
  }
  // A session that changed meanwhile has gone to the front, behind the reader's back.
  if (pages > 1 && since !== undefined)
    for await (const page of recentSessions(listed, { ...query, since })) take(page);
  return [...found.values()].sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1)).slice(0, query.limit);
}

/** A time that a client gives: the log compares whole numbers. */
export function wholeTime(time: number): number {
  return Math.ceil(Math.min(Math.max(time, 0), Number.MAX_SAFE_INTEGER));
}

export function titleHas({ title = "" }: SessionState, search: string | undefined): boolean {
  return search === undefined || title.toLowerCase().includes(search.toLowerCase());
}

export function isBelow(directory: string, path: string): boolean {
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
export async function listSessions(listed: Listed, query: ListQuery): Promise<SessionState[]> {
  const { directory, exactly, path, roots, start = 0, limit } = query;
  const here = placed(query);
  const place = exactly && path === undefined ? { directory } : {};
  return lastChanged(listed, { ...place, since: wholeTime(start), limit }, (state) => {
    if (roots && parentOf(state) !== undefined) return false;
    return here(state) && titleHas(state, query.search);
  });
}

/** Sub-agents' sessions, and those that clients made for a session. */
export async function childrenOf(listed: Listed, { id, directory }: SessionState): Promise<SessionState[]> {
  const children: SessionState[] = [];
  for await (const state of allSessions(listed, { directory })) if (parentOf(state) === id) children.push(state);
  return children;
}
