import { statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../core/errors.ts";
import { isSoundEvent, isSoundState, type StoredEvent } from "./checksum.ts";
import { vanished } from "./made-before.ts";
import { openReadOnly } from "./reader/open-read-only.ts";

/** The schema from which on rows have sums. */
const WITH_SUMS = 2;

export type Examined =
  | { is: "missing" }
  | { is: "sound"; file: string; bytes: number }
  | { is: "bad"; what: string; advice: string };

/** Reads the whole log of a directory, without writing to it. */
export function examineDirectory(directory: string): Examined {
  const file = path.join(directory, "parley.db");
  const gone = vanished(directory, file);
  if (gone) return { is: "bad", ...gone };
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return { is: "missing" };
  const advice =
    "stop the server and run `parley doctor --repair`: it saves what can be read, and keeps the damaged files";
  const wrong = faultOf(file);
  return wrong === undefined ? { is: "sound", file, bytes } : { is: "bad", what: `${file}: ${wrong}`, advice };
}

function faultOf(file: string): string | undefined {
  try {
    return examineLog(file);
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** The fault of a log, in words; undefined for a sound one. */
function examineLog(file: string): string | undefined {
  const database = openReadOnly(file);
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
