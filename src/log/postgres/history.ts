import type { Database } from "../../postgres/database.ts";
import { sqlStateOf } from "../../postgres/errors.ts";

/** Where a server is in its own history. */
export interface HistoryMark {
  /** Begins anew with each server that was promoted or restored. */
  timeline: string;
  /** How far its write-ahead log is on the disk, in bytes. */
  flushed: number;
}

const LOOK = `SELECT substring(pg_walfile_name(w.at) FOR 8) AS timeline, (w.at - '0/0'::pg_lsn)::bigint AS flushed
  FROM (SELECT pg_current_wal_flush_lsn() AS at) w`;

/** No such function, no right to it, nothing that it could tell: a service that is no PostgreSQL inside. */
const MUTE: ReadonlySet<string | undefined> = new Set(["42883", "42501", "0A000"]);

/** Whether the server that was looked at now may lack what the one before had. A crash loses nothing that was on the disk. */
export function isOther(before: HistoryMark | undefined, now: HistoryMark): boolean {
  return before !== undefined && (before.timeline !== now.timeline || now.flushed < before.flushed);
}

export interface HistoryOptions {
  database: Pick<Database, "query">;
  /** The server may lack what was stored. It is looked at again until this resolves. */
  other(): Promise<void>;
}

/**
 * Looks whether the database is still the one that was written to. Services that are no PostgreSQL inside may not say so;
 * then numbers that step back are the only sign.
 */
export function createHistory({ database, other }: HistoryOptions) {
  let mark: HistoryMark | undefined;
  let mute = false;
  return {
    async look(): Promise<void> {
      if (mute) return;
      let found: HistoryMark | undefined;
      try {
        [found] = await database.query<HistoryMark>(LOOK);
      } catch (thrown) {
        // A database that is away, or a replica that is not promoted yet, is looked at again.
        mute = MUTE.has(sqlStateOf(thrown));
        return;
      }
      if (!found) return;
      if (isOther(mark, found)) await other();
      mark = found;
    },
  };
}
