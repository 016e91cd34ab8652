import type { SessionState } from "../../core/session-state.ts";
import type { Base, PlacedRecord, SpentRecord } from "../contract.ts";
import { createRights, type Rights } from "../holds.ts";
import type { Target } from "../plan-append.ts";

export interface Row {
  record: PlacedRecord;
  /** The item a delta belongs to or a completion completes. */
  item: string | null;
}

/** A session in memory. */
export interface StoredSession extends Target {
  state: SessionState | undefined;
  /** Its id stays taken, and its last event is kept. */
  removed: boolean;
  base: Base | undefined;
  /** In the order of their numbers. */
  rows: Row[];
  /** The numbers of events by their names. */
  names: Map<string, number>;
  /** The owner that held it last. */
  owner: string;
}

/** The content of a log in memory, which outlives the log that was opened on it. */
export interface MemoryTables {
  sessions: Map<string, StoredSession>;
  /** The rows of all sessions, in the order of their positions. */
  rows: Row[];
  /** The newest position. */
  position: number;
  spent: SpentRecord[];
  rights: Rights;
}

export function createTables(): MemoryTables {
  return { sessions: new Map(), rows: [], position: 0, spent: [], rights: createRights() };
}

export const bySeq = ({ record }: Row): number => record.seq;
export const byPosition = ({ record }: Row): number => record.position;

/** The index of the first row whose number is greater; rows are in the order of their numbers. */
export function indexAfter(rows: readonly Row[], number: number, numberOf: (row: Row) => number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row && numberOf(row) > number) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Drops rows of a session, from the order over all sessions too. */
export function dropRows(tables: MemoryTables, session: StoredSession, isDropped: (row: Row) => boolean): void {
  const dropped = new Set(session.rows.filter(isDropped));
  if (dropped.size === 0) return;
  session.rows = session.rows.filter((row) => !dropped.has(row));
  tables.rows = tables.rows.filter((row) => !dropped.has(row));
}
