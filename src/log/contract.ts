import type { ParleyError } from "../core/errors.ts";
import type { EventType } from "../core/events/catalog.ts";
import type { Draft, ParleyEvent } from "../core/events/event.ts";
import type { SessionState } from "../core/session-state.ts";
import type { Spent } from "../core/spending/spent.ts";
import type { SearchPage, SearchQuery } from "./search/contract.ts";

/** An event as it is stored. `json` is the event on the wire, made once for all clients. */
export interface EventRecord {
  session: string;
  seq: number;
  type: string;
  /** The event without `folded` and `native`. */
  json: string;
  /** The bytes of `json`, where a long one was stored just now: whoever sends it need not make them again. */
  bytes?: Buffer;
  /** How many numbers right before this one have been folded away. */
  folded: number;
  /** The agent's own line, where it was kept and asked for. */
  native?: string;
}

/**
 * An event with its place in the order over all sessions: a whole number that grows and may skip. It may be given out
 * later than the event is stored, so a session's own readers have none.
 */
export interface PlacedRecord extends EventRecord {
  position: number;
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

/** Backwards, for readers that want the newest first. */
export interface BackQuery {
  /** Numbers smaller than this one. */
  before: number;
  limit: number;
  native?: boolean;
}

/** Numbers of one session, neither of the two included. */
export interface Between {
  after: number;
  before: number;
}

export interface PickQuery extends Between {
  type: EventType;
  /** A text that is in the event's JSON. */
  holding: string;
}

/** Sessions by their last change. */
export interface RecentQuery {
  directory?: string;
  /** Only what changed at this time or later. */
  since?: number;
  /** Only what comes after this place in the order. */
  after?: { updated: number; id: string };
  limit: number;
}

export interface SessionQuery {
  directory?: string;
  parent?: string | null;
  /** Ids greater than this one; session ids sort newest first. */
  after?: string;
  limit: number;
}

/** A directory and the sessions in it, without those of sub-agents. */
export interface DirectoryUse {
  directory: string;
  sessions: number;
  /** When the last of them changed. */
  updated?: number;
}

export interface SpentQuery {
  /** Numbers greater than this one. */
  after: number;
  limit: number;
  /** Turns that ended at this time or later, in epoch milliseconds. */
  from?: number | undefined;
  /** Turns that ended before this time. */
  to?: number | undefined;
  agent?: string | undefined;
  directory?: string | undefined;
}

/** `number` counts them in the order in which they were stored; it grows and may skip. */
export interface SpentRecord extends Spent {
  number: number;
}

/** The state that a reader needs when its cursor lies before the first number that is kept. */
export interface Base {
  /** The first number that is kept. */
  first: number;
  /** The state just before it. */
  state: SessionState;
}

export interface SessionHead {
  state: SessionState;
  /** The last number. */
  last: number;
  /** The first number that is kept: 1 unless old turns were pruned. */
  first: number;
  /** Numbers up to this one were given out twice, because the database lost its end: a cursor among them may be of events that are gone. */
  lostTo?: number;
}

/** `process` survives the death of the process, `disk` the loss of power too. */
export type SyncMode = "process" | "disk";

/** Hears of a session's commits: see `Log.listen`. */
export type Listener = (records: readonly EventRecord[], events: readonly ParleyEvent[]) => void;

/** Hears of all commits. No record lies between the position `after` and the first of `records`. */
export type AllListener = (records: readonly PlacedRecord[], events: readonly ParleyEvent[], after: number) => void;

/**
 * The right to write to one session. A newer hold of the same session makes this one stale for good: every method but
 * `release` then rejects with `fenced`, and stores and drops nothing.
 */
export interface Hold {
  readonly session: string;
  /** Greater than that of every earlier hold of the session. */
  readonly epoch: number;
  /** The session when the hold was taken, read after the right was taken; undefined for one that has no event yet. */
  readonly head: SessionHead | undefined;
  /**
   * Appends in one transaction, as the numbers after + 1, after + 2, and so on. It rejects, and stores nothing, with
   *  - `fenced`, which is final: another hold of the session was taken, or this one was released;
   *  - `disk_full`, `storage_lost`, `log_damaged`, `unavailable`: the same call may be made again;
   *  - `invalid`: the numbers do not follow on those that are stored, which is a defect of the writer.
   * It rejects with `outcome_unknown` when the answer was lost: the events may be stored or not. The writer then makes
   * the same call again until it is stored or fenced; a refusal of the repeat leaves the outcome unknown. A repeat of
   * events that are stored under this hold resolves with their records, and stores nothing.
   */
  append(after: number, entries: readonly Entry[]): Promise<EventRecord[]>;
  /**
   * Stores one piece within the call, and tells of it. False: it cannot be done now, nothing was stored, and `append` takes
   * it or says why not. Absent in a log whose database is elsewhere.
   */
  appendPiece?(after: number, piece: Entry): boolean;
  /** Drops the deltas of completed items up to a number; a little at a time, and safe to repeat. */
  fold(upTo: number): Promise<void>;
  /** Forgets whole turns before a number, keeping the state at that point; safe to repeat. */
  prune(before: number): Promise<void>;
  /** Forgets the session but for its last event, which says that it was deleted; safe to repeat. */
  remove(): Promise<void>;
  /** Gives the right back, after calls that are under way: the session has no holder then. */
  release(): Promise<void>;
}

/**
 * The durable, numbered list of every session's events. A promise that resolves here says that the events are stored as
 * the sync mode says; listeners hear of an event only after that.
 */
export interface Log {
  /**
   * The name under which this process holds sessions. Processes that follow each other may share it where something
   * proves that the earlier ones are dead, such as the lock on a data directory.
   */
  readonly owner: string;
  /**
   * Takes the right to write to a session; older holds of it are stale from now on. A NewSession is created by the first
   * append. Rejects with `session_not_found`, or with `invalid` for a new session whose id is taken.
   */
  open(session: string | NewSession): Promise<Hold>;
  /**
   * Leaves out events that are damaged, as the other reads do: fewer than `limit` means that no more follow, and a hole in
   * the numbers that `folded` does not explain (see `followsOn`) is damage.
   */
  read(session: string, query: ReadQuery): Promise<EventRecord[]>;
  /** The newest events before a number, in their order. */
  readBack(session: string, query: BackQuery): Promise<EventRecord[]>;
  /** Only the events of one type that hold a text, in their order. It costs less than to read them all. */
  pick(session: string, query: PickQuery): Promise<EventRecord[]>;
  /**
   * Facts that a session learned of itself, words of users, ends of turns: its `session.updated`, `turn.ended` and the
   * items of users, perhaps with some others. In a log that can, it costs what these do, however many others lie between them.
   */
  told(session: string, between: Between): Promise<EventRecord[]>;
  /** The number of the newest `turn.started` before a number. */
  turnStart(session: string, before: number): Promise<number | undefined>;
  /** Events of all sessions by position. An event is never visible before one with a smaller position. */
  readAll(query: ReadQuery): Promise<PlacedRecord[]>;
  /** The newest events of all sessions before a position, in their order. */
  readAllBack(query: Omit<BackQuery, "native">): Promise<PlacedRecord[]>;
  /** The newest position that is visible, 0 where there is none. */
  position(): Promise<number>;
  head(session: string): Promise<SessionHead | undefined>;
  base(session: string): Promise<Base | undefined>;
  list(query: SessionQuery): Promise<SessionState[]>;
  /** The session that changed last comes first; of those that changed at the same time, the one with the smallest id. */
  recent(query: RecentQuery): Promise<SessionState[]>;
  /** The directories of sessions, those that changed last first. */
  directories(limit: number): Promise<DirectoryUse[]>;
  /**
   * The spending of turns that ended, stored with their ends and kept when these are forgotten. Where turns of an older
   * Parley are still being counted it resolves after that.
   */
  spent(query: SpentQuery): Promise<SpentRecord[]>;
  /**
   * Sessions with an open turn, prompts that wait for a turn or open asks. With an owner, those that it was the last to
   * hold: the ones that its next start must look after.
   */
  unsettled(owner?: string): Promise<SessionState[]>;
  /** The event that holds a name, see core/events/keys. */
  find(session: string, key: string): Promise<ParleyEvent | undefined>;
  /** The session that holds a name; ask ids are unique over all sessions. */
  locate(key: string): Promise<string | undefined>;
  /** One page of what fits a query in all sessions, the newest first. Events that are stored are found at once. */
  search(query: SearchQuery): Promise<SearchPage>;
  /**
   * Hears of a session's commits, after them; of this process's own at once. Returns the way to stop. What it hears is a
   * hint. A hint may be lost, and one may come without records, which says: read on from your cursor. Readers therefore go
   * by their cursors. A log guarantees that each commit is followed by a hint within a bounded time, also where the first
   * one was lost: a reader needs no timer of its own. `lost` is called where the log has lost what it told before.
   */
  listen(session: string, listener: Listener, lost?: () => void): () => void;
  /** Hears of the commits of all sessions, as `listen` does, in the order of their positions when these are visible. */
  listenAll(listener: AllListener, lost?: () => void): () => void;
  /** Positions up to this one were given out twice: see `SessionHead.lostTo`. A log that loses nothing has no such method. */
  lostTo?(): Promise<number>;
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

/** The part of a log that commands need where no server runs. */
export type LogReader = Pick<Log, "read" | "head" | "base" | "list" | "spent" | "search" | "close">;
