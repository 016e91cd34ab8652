import type { DatabaseSync } from "node:sqlite";

/** Runs `work` in one transaction: all of it is stored, or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (thrown) {
    // A full disk has SQLite roll back by itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw thrown;
  }
}
