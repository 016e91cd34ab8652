import { DatabaseSync } from "node:sqlite";
import { isSoundEvent, isSoundState, type StoredEvent } from "./checksum.ts";

/** The schema from which on rows have sums. */
const WITH_SUMS = 2;

/** Reads a whole log, without writing to it. Returns what is wrong with it, in words; undefined for a sound one. */
export function examineLog(file: string): string | undefined {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const [result] = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {});
    if (result !== "ok") return String(result);
    const [version] = Object.values(database.prepare("PRAGMA user_version").get() ?? {});
    if (Number(version) < WITH_SUMS) return undefined;
    const events = count(database, "SELECT sid, seq, type, json, sum FROM events", (row) =>
      isSoundEvent(Number(row.sid), row as unknown as StoredEvent),
    );
    const states = count(database, "SELECT id, state, sum FROM sessions WHERE state IS NOT NULL", (row) =>
      isSoundState(String(row.id), row.state, row.sum),
    );
    if (events + states === 0) return undefined;
    return `not as written: ${counted(events, "event")}, and the state of ${counted(states, "session")}`;
  } finally {
    database.close();
  }
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function count(database: DatabaseSync, sql: string, isSound: (row: Record<string, unknown>) => boolean): number {
  let damaged = 0;
  for (const row of database.prepare(sql).iterate()) if (!isSound(row)) damaged++;
  return damaged;
}
