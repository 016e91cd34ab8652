import type { DatabaseSync } from "node:sqlite";

/** Pages in the write-ahead log before a commit moves them: 2 MB, some 4 ms of the event loop each time. */
const CHECKPOINT_PAGES = 500;

export function checkpointWithCommits(database: DatabaseSync): void {
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
}

/** Commits without a look at the write-ahead log, and moves its pages in a later turn of the event loop: with many pages that takes longer than the commit. */
export function checkpointAfter<T>(database: DatabaseSync, commit: () => T): T {
  database.exec("PRAGMA wal_autocheckpoint = 0");
  try {
    return commit();
  } finally {
    checkpointWithCommits(database);
    setImmediate(() => checkpoint(database));
  }
}

function checkpoint(database: DatabaseSync): void {
  if (!database.isOpen) return;
  try {
    database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // The pages stay where they are, and the next commit tries again.
  }
}
