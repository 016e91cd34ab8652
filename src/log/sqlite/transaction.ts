import type { DatabaseSync } from "node:sqlite";
import { prepare, type Statement } from "./statement.ts";

interface Bounds {
  begin: Statement<[]>;
  commit: Statement<[]>;
}

/** Prepared once for each database: a piece of text is often a transaction of its own. */
const prepared = new WeakMap<DatabaseSync, Bounds>();

function boundsOf(database: DatabaseSync): Bounds {
  const known = prepared.get(database);
  if (known) return known;
  const bounds = { begin: prepare<[]>(database, "BEGIN IMMEDIATE"), commit: prepare<[]>(database, "COMMIT") };
  prepared.set(database, bounds);
  return bounds;
}

/** Runs `work` in one transaction: all of it is stored, or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  const { begin, commit } = boundsOf(database);
  begin.run();
  try {
    const result = work();
    commit.run();
    return result;
  } catch (thrown) {
    // A full disk has SQLite roll back by itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw thrown;
  }
}
