import { existsSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../open.ts";
import { prepare } from "../statement.ts";
import { collect } from "./collect.ts";
import { openPages } from "./pages.ts";
import { countOf, planSessions, type Range } from "./plan.ts";
import { writeSessions, writeSpent } from "./write.ts";

export interface SalvageReport {
  sessions: number;
  /** Events that were saved. */
  events: number;
  /** Events that are known to be lost. */
  lost: number;
  /** Sessions of which something was lost, with the numbers. */
  losses: { session: string; lost: Range[] }[];
}

/** Reads all that can be read of a log's file, and writes it as a new log into an empty directory. */
export function salvage(file: string, directory: string, now: number): SalvageReport {
  const lastOf = lastNumbers(file);
  const pages = openPages(file);
  try {
    const found = collect(pages);
    const saved = planSessions(found, (sid) => lastOf.get(sid) ?? 0);
    const database = openDatabase(directory, "disk");
    try {
      writeSessions(database, saved, now);
      writeSpent(database, found.spent);
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
    const losses = saved.filter(({ lost }) => lost.length > 0).map(({ id, lost }) => ({ session: id, lost }));
    return {
      sessions: saved.filter(({ removed }) => !removed).length,
      events: saved.reduce((sum, { rows }) => sum + rows.length, 0),
      lost: losses.reduce((sum, { lost }) => sum + countOf(lost), 0),
      losses,
    };
  } finally {
    pages.close();
  }
}

/** The newest number of each session, by the index of the file; as much of it as SQLite can read. */
function lastNumbers(file: string): Map<number, number> {
  const found = new Map<number, number>();
  if (!existsSync(file)) return found;
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const sql = "SELECT sid, max(seq) AS seq FROM events INDEXED BY events_seq GROUP BY sid";
      const rows = prepare<[], { sid: number; seq: number }>(database, sql).all();
      for (const { sid, seq } of rows) found.set(sid, seq);
    } finally {
      database.close();
    }
  } catch {
    // The index cannot be read: the newest numbers come from the rows alone.
  }
  return found;
}

export const databaseIn = (directory: string): string => path.join(directory, "parley.db");
