import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../statement.ts";

/** Gives a log its name: the index of another log is not believed. Without room for it there is no index, but there is a log. */
export function nameLog(database: DatabaseSync): void {
  if (findLogId(database) !== undefined) return;
  try {
    database.exec("INSERT INTO meta (name, value) VALUES ('log', lower(hex(randomblob(16))))");
  } catch {
    // The next start tries again.
  }
}

/** Undefined for a log that has no name yet. */
export function findLogId(database: DatabaseSync): string | undefined {
  return prepare<[], { value: string }>(database, "SELECT value FROM meta WHERE name = 'log'").get()?.value;
}
