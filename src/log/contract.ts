import type { ParleyError } from "../core/errors.ts";
import type { Draft, ParleyEvent } from "../core/events/event.ts";
import type { SessionState } from "../core/session-state.ts";

/** An event as it is stored. `json` is the event on the wire, made once for all clients. */
export interface LogRecord {
  session: string;
  seq: number;
  /** Order over all sessions: grows, but may skip. */
  position: number;
  type: string;
  /** The event without `folded` and `native`. */
  json: string;
  /** How many numbers right before this one have been folded away. */
  folded: number;
  /** The agent's own line, where it was kept and asked for. */
  native?: string;
}

export interface Entry {
  draft: Draft;
  /** The agent's line that caused it. */
  native?: string;
}

export interface NewSession {
  id: string;
  parent?: string;
  root?: string;
}

export interface ReadQuery {
  /** Numbers greater than this one. */
  after: number;
  limit: number;
  native?: boolean;
}

/** Backwards, for who wants the newest first. */
export interface BackQuery {
  /** Numbers smaller than this one. */
  before: number;
  limit: number;
}

export interface SessionQuery {
  directory?: string;
  parent?: string | null;
  /** Ids greater than this one; session ids sort newest first. */
  after?: string;
  limit: number;
}

/** What a reader needs when its cursor lies before what is kept. */
export interface Base {
  /** The first number that is kept. */
  first: number;
  /** The state just before it. */
  state: SessionState;
}

export interface SessionHead {
  state: SessionState;
  /** The last number, 0 for a session that does not exist yet. */
  last: number;
  /** The first number that is kept: 1 unless old turns were pruned. */
  first: number;
}

export type Listener = (records: readonly LogRecord[], events: readonly ParleyEvent[]) => void;

/**
 * The durable, numbered list of every session's events. Whatever a promise here resolved with is stored as the sync
 * mode says; listeners hear of an event only after that.
 */
export interface Log {
  /**
   * Appends in one transaction and numbers the events. The first append of a session needs `create`. Rejects with
   * `disk_full`, `storage_lost`, `log_damaged` or `unavailable` and stores nothing when the disk refuses.
   */
  append(session: string, entries: readonly Entry[], create?: NewSession): Promise<LogRecord[]>;
  /**
   * A damaged event is left out, here and by the other reads: what is given is as it was stored, fewer than `limit` means
   * that no more follow, and a hole in the numbers that `folded` does not explain (see `followsOn`) is damage.
   */
  read(session: string, query: ReadQuery): Promise<LogRecord[]>;
  /** The newest events before a number, in their order. */
  readBack(session: string, query: BackQuery): Promise<LogRecord[]>;
  /** The number of the newest `turn.started` before a number. */
  turnStart(session: string, before: number): Promise<number | undefined>;
  /** Events of all sessions by position. */
  readAll(query: ReadQuery): Promise<LogRecord[]>;
  /** The newest position. */
  position(): Promise<number>;
  head(session: string): Promise<SessionHead | undefined>;
  base(session: string): Promise<Base | undefined>;
  list(query: SessionQuery): Promise<SessionState[]>;
  /** Sessions with an open turn, queued prompts or open asks: what a boot must look after. */
  unsettled(): Promise<SessionState[]>;
  /** The event that holds a name, see core/events/keys. */
  find(session: string, key: string): Promise<ParleyEvent | undefined>;
  /** The session that holds a name; ask ids are unique over all sessions. */
  locate(key: string): Promise<string | undefined>;
  /** Drops the deltas of completed items up to a number; a little at a time, and safe to repeat. */
  fold(session: string, upTo: number): Promise<void>;
  /** Forgets whole turns before a number, keeping the state at that point. */
  prune(session: string, before: number): Promise<void>;
  /** Forgets a session but for its last event, which says that it was deleted. */
  remove(session: string): Promise<void>;
  /** Hears of each commit, after it. Returns the way to stop. */
  listen(session: string | null, listener: Listener): () => void;
  /** Resolves when a write that goes the way of an append succeeds; rejects as `append` does. */
  check(): Promise<void>;
  /**
   * The reason why nothing can be acknowledged now, as far as it shows without a write: `storage_lost` while the files
   * at the log's place are not the ones that are open. Cheap enough to ask before each command.
   */
  fault(): ParleyError | undefined;
  /** The numbers of a session's events that were asked for and turned out to be damaged. */
  unreadable(session: string): readonly number[];
  close(): Promise<void>;
}
