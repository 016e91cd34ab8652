import { setImmediate as nextTurn } from "node:timers/promises";
import { ParleyError } from "../../core/errors.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import type {
  BackQuery,
  Between,
  EventRecord,
  Hold,
  Log,
  NewSession,
  PlacedRecord,
  ReadQuery,
  SessionHead,
  SpentQuery,
  SpentRecord,
} from "../contract.ts";
import { createHold, type HoldWork, type Right } from "../holds.ts";
import { createLane } from "../lane.ts";
import { createListeners } from "../listeners.ts";
import { isTold } from "../picks.ts";
import {
  type Append,
  assertFree,
  notFound,
  planAppend,
  repeatQuery,
  storedBefore,
  type Target,
} from "../plan-append.ts";
import { search } from "../search/search.ts";
import { isSettled } from "../settled.ts";
import { foldSession, pruneSession, removeSession } from "./forget.ts";
import {
  byPosition,
  bySeq,
  createTables,
  indexAfter,
  type MemoryTables,
  type Row,
  type StoredSession,
} from "./tables.ts";

export interface MemoryLogOptions {
  /** The name under which it holds sessions. */
  owner?: string;
  /** Whether the agents' own lines are kept beside the events. Off unless asked for. */
  keepNative?: boolean;
  /** Hears of listeners that throw. */
  report?: (thrown: unknown) => void;
  /** The content of a log that was closed, to go on with. */
  tables?: MemoryTables;
}

/** A log that lives as long as its process: for tests, and where nothing is to be stored. */
export function createMemoryLog(options: MemoryLogOptions = {}): Log {
  const { owner = "memory", keepNative = false, report = warn, tables = createTables() } = options;
  const { sessions, rights } = tables;
  const listeners = createListeners(report);
  const lane = createLane();
  let closed: Promise<void> | undefined;

  function checkOpen(): void {
    if (closed) throw new ParleyError("shutting_down", "the log is closed: the server is stopping");
  }

  async function using<T>(work: () => T | Promise<T>): Promise<T> {
    checkOpen();
    return work();
  }

  const stored = (session: string): StoredSession | undefined => sessions.get(session);
  const found = (session: string): StoredSession | "removed" | undefined =>
    stored(session)?.removed ? "removed" : stored(session);

  function headOf(session: string): SessionHead | undefined {
    const known = stored(session);
    return known?.state && { state: known.state, last: known.last, first: known.first };
  }

  const fresh = (target: Target): StoredSession => ({
    ...target,
    removed: false,
    base: undefined,
    rows: [],
    names: new Map(),
    owner,
  });

  function commit(append: Append): EventRecord[] {
    const { right } = append;
    rights.assert(right);
    const { rows, target, repeated } = planAppend(append, { found: found(right.session), fresh, keepNative });
    if (repeated) return storedBefore(append, target, read(right.session, repeatQuery(append)));
    sessions.set(target.session, target);
    const after = tables.position;
    for (const { record, item, name, spent } of rows) {
      if (spent) tables.spent.push({ ...structuredClone(spent), number: tables.spent.length + 1 });
      tables.position += 1;
      const row: Row = { record: { ...record, position: tables.position }, item };
      target.rows.push(row);
      tables.rows.push(row);
      if (name !== undefined && !target.names.has(name)) target.names.set(name, record.seq);
    }
    const records = rows.map(({ record }) => record);
    listeners.publish(
      records,
      rows.map(({ event }) => event),
      after,
    );
    return records;
  }

  /** Makes a change one turn of the event loop later, as a log on a disk does. */
  const inLane = (right: Right, change: (session: StoredSession) => void): Promise<void> =>
    using(() =>
      lane.run(async () => {
        await nextTurn();
        checkOpen();
        rights.assert(right);
        const session = stored(right.session);
        if (session && !session.removed) change(session);
      }),
    );

  const work: HoldWork = {
    async append(append) {
      checkOpen();
      // Listeners never hear of a commit in the call that asked for it.
      await undefined;
      return commit(append);
    },
    fold: (right, upTo) => inLane(right, (session) => foldSession(tables, session, upTo)),
    prune: (right, before) => inLane(right, (session) => pruneSession(tables, session, before)),
    remove: (right) => inLane(right, (session) => removeSession(tables, session)),
    end: (right) => rights.end(right),
  };

  function open(asked: string | NewSession): Hold {
    const create = typeof asked === "string" ? undefined : asked;
    const session = create?.id ?? String(asked);
    const head = headOf(session);
    if (create) assertFree(session, found(session));
    else if (!head) throw notFound(session);
    const known = stored(session);
    if (known) known.owner = owner;
    return createHold(rights.take(session, head?.last ?? 0, create), head, work);
  }

  function read(session: string, { after, limit, native }: ReadQuery): EventRecord[] {
    const rows = stored(session)?.rows ?? [];
    const from = indexAfter(rows, after, bySeq);
    return rows.slice(from, from + limit).map((row) => unplaced(given(row, native)));
  }

  const between = (session: string, { after, before }: Between): EventRecord[] =>
    read(session, { after, limit: Math.max(0, before - after - 1) }).filter(({ seq }) => seq < before);

  const readAllBack = ({ before, limit }: BackQuery): PlacedRecord[] =>
    lastRows(tables.rows, before, limit, byPosition).map((row) => given(row));

  const states = () =>
    [...sessions.values()].toSorted((a, b) => (a.session < b.session ? -1 : 1)).flatMap(({ state }) => state ?? []);

  return {
    owner,
    open: (session) => using(() => open(session)),
    read: (session, query) => using(() => read(session, query)),
    readBack: (session, { before, limit, native }) =>
      using(() =>
        lastRows(stored(session)?.rows ?? [], before, limit, bySeq).map((row) => unplaced(given(row, native))),
      ),
    pick: (session, query) =>
      using(() =>
        between(session, query).filter(({ type, json }) => type === query.type && json.includes(query.holding)),
      ),
    told: (session, query) => using(() => between(session, query).filter(isTold)),
    turnStart: (session, before) =>
      using(() => {
        const isStart = ({ record }: Row): boolean => record.type === "turn.started" && record.seq < before;
        return stored(session)?.rows.findLast(isStart)?.record.seq;
      }),
    readAll: ({ after, limit, native }) =>
      using(() => {
        const from = indexAfter(tables.rows, after, byPosition);
        return tables.rows.slice(from, from + limit).map((row) => given(row, native));
      }),
    readAllBack: (query) => using(() => readAllBack(query)),
    position: () => using(() => tables.position),
    head: (session) => using(() => headOf(session)),
    base: (session) => using(() => stored(session)?.base),
    list: ({ directory, parent, after = "", limit }) =>
      using(() =>
        states()
          .filter((state) => state.id > after)
          .filter((state) => directory === undefined || state.directory === directory)
          .filter((state) => parent === undefined || (state.parent ?? null) === parent)
          .slice(0, limit),
      ),
    recent: ({ directory, since = 0, after, limit }) =>
      using(() =>
        states()
          .filter((state) => directory === undefined || state.directory === directory)
          .filter(({ updated }) => updated >= since)
          .toSorted((a, b) => b.updated - a.updated)
          .filter(
            ({ updated, id }) => !after || updated < after.updated || (updated === after.updated && id > after.id),
          )
          .slice(0, limit),
      ),
    directories: (limit) =>
      using(() => {
        const own = states().filter(({ parent }) => parent === undefined);
        const byDirectory = Map.groupBy(own, ({ directory }) => directory);
        return [...byDirectory]
          .map(([directory, of]) => {
            return { directory, sessions: of.length, updated: Math.max(...of.map(({ updated }) => updated)) };
          })
          .sort((a, b) => b.updated - a.updated || (a.directory < b.directory ? -1 : 1))
          .slice(0, limit);
      }),
    spent: (query) =>
      using(() => structuredClone(tables.spent.filter((one) => isAsked(one, query)).slice(0, query.limit))),
    unsettled: (asked) =>
      using(() =>
        states().filter((state) => !isSettled(state) && (asked === undefined || stored(state.id)?.owner === asked)),
      ),
    find: (session, key) =>
      using(() => {
        const seq = stored(session)?.names.get(key);
        const [record] = seq === undefined ? [] : read(session, { after: seq - 1, limit: 1 });
        return record?.seq === seq && record ? (JSON.parse(record.json) as ParleyEvent) : undefined;
      }),
    search: (query) => using(() => search({ position: () => tables.position, readAllBack, head: headOf }, query)),
    locate: (key) => using(() => [...sessions.values()].find(({ names }) => names.has(key))?.session),
    listen: listeners.add,
    listenAll: listeners.addAll,
    check: () => using(() => undefined),
    fault: () => undefined,
    unreadable: () => [],
    close() {
      closed ??= lane.idle();
      return closed;
    },
  };
}

function lastRows(rows: readonly Row[], before: number, limit: number, numberOf: (row: Row) => number): Row[] {
  const end = indexAfter(rows, before - 1, numberOf);
  return rows.slice(Math.max(0, end - limit), end);
}

/** A record as readers get it: the agent's line only where it is asked for. */
function given({ record }: Row, native = false): PlacedRecord {
  if (native || record.native === undefined) return { ...record };
  const { native: _, ...rest } = record;
  return rest;
}

function unplaced({ position: _, ...record }: PlacedRecord): EventRecord {
  return record;
}

function isAsked(one: SpentRecord, { after, from, to, agent, directory }: SpentQuery): boolean {
  if (one.number <= after || one.time < (from ?? one.time) || (to !== undefined && one.time >= to)) return false;
  return one.agent === (agent ?? one.agent) && one.directory === (directory ?? one.directory);
}

function warn(thrown: unknown): void {
  process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
}
