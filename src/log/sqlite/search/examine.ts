import { statSync } from "node:fs";
import path from "node:path";
import { messageOf } from "../../../core/errors.ts";
import { openReadOnly } from "../reader/open-read-only.ts";
import { prepare } from "../statement.ts";
import { indexFileIn, openIndexReader } from "./index-file.ts";
import { findLogId } from "./log-id.ts";

export type ExaminedIndex =
  | { is: "missing" }
  | { is: "bad"; file: string; what: string }
  | { is: "sound"; file: string; bytes: number; done: number; of: number };

/** Reads the whole index of a directory's log, without writing to it; undefined where there is no log that can be read. */
export function examineIndex(directory: string): ExaminedIndex | undefined {
  const file = indexFileIn(directory);
  const log = readLog(directory);
  if (!log) return undefined;
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (!bytes || log.id === undefined) return { is: "missing" };
  try {
    const wrong = faultOf(file);
    if (wrong !== undefined) return { is: "bad", file, what: wrong };
    const index = openIndexReader(directory, log.id);
    if (!index) return { is: "bad", file, what: "it is of another log, or of another version of Parley" };
    const done = Math.min(index.upTo(), log.position);
    index.close();
    return { is: "sound", file, bytes, done, of: log.position };
  } catch (thrown) {
    return { is: "bad", file, what: messageOf(thrown) };
  }
}

function readLog(directory: string): { id: string | undefined; position: number } | undefined {
  try {
    const database = openReadOnly(path.join(directory, "parley.db"));
    try {
      const sql = "SELECT max(position) AS position FROM events";
      const position = prepare<[], { position: number | null }>(database, sql).get()?.position ?? 0;
      return { id: findLogId(database), position };
    } finally {
      database.close();
    }
  } catch {
    // There is none, or it is damaged: the check of the log says so.
    return undefined;
  }
}

function faultOf(file: string): string | undefined {
  const database = openReadOnly(file);
  try {
    const [result] = Object.values(database.prepare("PRAGMA integrity_check(1)").get() ?? {});
    return result === "ok" ? undefined : String(result);
  } finally {
    database.close();
  }
}
