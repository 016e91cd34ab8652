import type { ParleyEvent } from "../../core/events/event.ts";
import type { Database } from "../../postgres/database.ts";
import type { EventRecord, Listener, PlacedRecord } from "../contract.ts";
import type { createListeners } from "../listeners.ts";
import type { EventReads } from "./event-reads.ts";
import { readCommit } from "./hint-lines.ts";
import { toArray, toColumn } from "./texts.ts";

/** Records of a session, or of all, read by one statement. */
const PAGE = 256;
/** Listeners of all sessions that are further behind are told to read by themselves. */
const FAR = 10_000;

export interface FollowerOptions {
  database: Pick<Database, "query">;
  events: Pick<EventReads, "readMany" | "readAll">;
  listeners: ReturnType<typeof createListeners>;
  keepNative: boolean;
  /** The newest position when the log was opened. */
  position: number;
  /** The last number of a session that this process holds. */
  held(session: string): number | undefined;
  report(thrown: unknown): void;
}

interface PollRow {
  position: number;
  waiting: boolean;
  moved: string[] | null;
  /** Numbers inside of a list come as texts. */
  lasts: string[] | null;
}

const POLL = `SELECT (SELECT coalesce(max(position), 0) FROM commits) AS position,
  EXISTS (SELECT 1 FROM unordered WHERE id > $3) AS waiting, m.moved, m.lasts
  FROM (SELECT array_agg(w.id) AS moved, array_agg(l.last) AS lasts
    FROM unnest($1::text[], $2::bigint[]) w(id, seen) JOIN sessions s ON s.id = w.id
    CROSS JOIN LATERAL (SELECT max(e.seq) AS last FROM events e WHERE e.sid = s.sid) l
    WHERE w.seen IS NULL OR l.last > w.seen) m`;

/**
 * Tells listeners of commits, those of other nodes too. It reads for all listeners of this process together, so that the
 * database's work does not grow with them.
 */
export function createFollower(options: FollowerOptions) {
  const { database, events, listeners, keepNative, held, report } = options;
  /** The last number that the listeners of each session were told of; undefined while it is not known. */
  const seen = new Map<string, number | undefined>();
  const wanted = new Set<string>();
  let looking: Promise<void> | undefined;
  /** All listeners were told of what lies at or before this position. */
  let cursor = options.position;
  /** The newest position that is known. */
  let newest = options.position;
  let lookingAll: Promise<void> | undefined;
  let closed = false;

  async function look(): Promise<void> {
    while (wanted.size > 0 && !closed) {
      const sessions = [...wanted].filter((session) => seen.has(session));
      wanted.clear();
      const fresh = sessions.filter((session) => seen.get(session) === undefined);
      if (fresh.length > 0) await begin(fresh);
      const asked = sessions.map((session) => ({ session, after: seen.get(session) ?? 0 }));
      const known = asked.filter(({ session }) => !fresh.includes(session));
      if (known.length > 0) await pass(known);
    }
  }

  /** Finds where sessions stand that have listeners since now. These may have missed something: they look once. */
  async function begin(sessions: readonly string[]): Promise<void> {
    const row = await poll(sessions, 0);
    const lasts = new Map(row.moved?.map((session, at) => [session, Number(row.lasts?.[at] ?? 0)]));
    for (const session of sessions) {
      if (!seen.has(session) || seen.get(session) !== undefined) continue;
      seen.set(session, lasts.get(session) ?? 0);
      listeners.wake(session);
    }
  }

  async function pass(asked: readonly { session: string; after: number }[]): Promise<void> {
    const records = await events.readMany(asked, PAGE, keepNative);
    const bySession = Map.groupBy(records, ({ session }) => session);
    for (const [session, all] of bySession) {
      if (all.length === PAGE) wanted.add(session);
      // Events that this process stored meanwhile were told already.
      const after = seen.get(session) ?? 0;
      tell(all.filter(({ seq }) => seq > after));
    }
  }

  function tell(records: readonly EventRecord[]): void {
    const last = records.at(-1);
    if (!last || !seen.has(last.session)) return;
    seen.set(last.session, last.seq);
    listeners.tellSessions(records, parsed(records));
  }

  async function poll(sessions: readonly string[], floor: number): Promise<PollRow> {
    const lasts = sessions.map((session) => seen.get(session) ?? null);
    const [row] = await database.query<PollRow>(POLL, [toArray(sessions.map(toColumn)), toArray(lasts), floor]);
    if (!row) throw new Error("expected a row of the poll, got none");
    return row;
  }

  async function lookAll(): Promise<void> {
    while (cursor < newest && listeners.hearsAll() && !closed) {
      if (newest - cursor > FAR) {
        cursor = newest;
        listeners.tellAll([], [], cursor);
        return;
      }
      // A position that is known can be read: a page that is not full holds all up to it.
      const [after, known] = [cursor, newest];
      const records = await events.readAll({ after, limit: PAGE, native: keepNative });
      const last = records.at(-1)?.position ?? after;
      cursor = records.length < PAGE ? Math.max(last, known) : last;
      newest = Math.max(newest, cursor);
      if (records.length > 0) listeners.tellAll(records, parsed(records), after);
    }
    if (!listeners.hearsAll()) cursor = newest;
  }

  function wakeLook(): void {
    looking ??= look()
      .catch(report)
      .finally(() => {
        looking = undefined;
      });
  }

  function wakeAll(): void {
    const over = (whole: boolean): void => {
      lookingAll = undefined;
      // After a failure the next poll goes on: a database that is away would be asked again and again at once.
      if (whole && cursor < newest && listeners.hearsAll() && !closed) wakeAll();
    };
    lookingAll ??= lookAll().then(
      () => over(true),
      (thrown: unknown) => {
        report(thrown);
        over(false);
      },
    );
  }

  function want(session: string): void {
    wanted.add(session);
    wakeLook();
  }

  function moved(position: number): void {
    newest = Math.max(newest, position);
    wakeAll();
  }

  return {
    listen(session: string, listener: Listener, lost?: () => void): () => void {
      const stop = listeners.add(session, listener, lost);
      if (!seen.has(session)) {
        seen.set(session, held(session));
        if (seen.get(session) === undefined) want(session);
      }
      return () => {
        stop();
        if (!listeners.hears(session)) seen.delete(session);
      };
    },
    listenAll: listeners.addAll,
    /** The last numbers that listeners were told of, and the newest position. */
    told: (): { sessions: ReadonlyMap<string, number | undefined>; position: number } => ({
      sessions: seen,
      position: newest,
    }),
    /** The database has lost what listeners of these sessions were told of, and with a position, of all after it. */
    lost(sessions: readonly string[], position: number | undefined): void {
      for (const session of sessions) {
        if (seen.has(session)) seen.set(session, undefined);
        listeners.lose(session);
      }
      if (position === undefined) return;
      [cursor, newest] = [position, position];
      listeners.lose(null);
    },
    /** Tells of an append of this process. */
    stored(records: readonly EventRecord[], told: readonly ParleyEvent[]): void {
      const last = records.at(-1);
      if (last && seen.has(last.session)) seen.set(last.session, Math.max(last.seq, seen.get(last.session) ?? 0));
      listeners.tellSessions(records, told);
    },
    /** Hears of a commit of another node, or of any. */
    hinted(text: string): void {
      const commit = readCommit(text);
      if (!commit) {
        for (const session of seen.keys()) want(session);
        return;
      }
      const { session, from, to } = commit;
      if (!seen.has(session)) return;
      const known = seen.get(session);
      if (known === undefined) seen.set(session, from - 1);
      if (known === undefined || to > known) want(session);
    },
    /** There are positions up to this one. */
    moved,
    /** Looks for what hints have not told. Says whether appends wait for their positions. */
    async poll(floor: number): Promise<boolean> {
      const sessions = [...seen.keys()];
      const row = await poll(sessions, floor);
      for (const session of row.moved ?? []) if (seen.has(session)) want(session);
      moved(row.position);
      return row.waiting;
    },
    /** Resolves when listeners of all sessions were told of the positions that are known. */
    async toldAll(): Promise<void> {
      while (lookingAll && !closed) await lookingAll;
    },
    /** Whether somebody listens. */
    busy: () => seen.size > 0 || listeners.hearsAll(),
    async close(): Promise<void> {
      closed = true;
      await looking;
      await lookingAll;
    },
  };
}

const parsed = (records: readonly (EventRecord | PlacedRecord)[]): ParleyEvent[] =>
  records.map(({ json }) => JSON.parse(json) as ParleyEvent);
