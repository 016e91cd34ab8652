import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const GROUP = 1000;
const LINE_BYTES = 100;

/** How many rows a second plain SQLite takes: one table, one key, grouped commits. */
export function insertsPerSecond(directory: string, rows: number, rowBytes: number): number {
  const database = new DatabaseSync(join(directory, "plain.db"));
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      CREATE TABLE events (position INTEGER PRIMARY KEY, json TEXT NOT NULL, native TEXT)`);
    const insert = database.prepare("INSERT INTO events (position, json, native) VALUES (?, ?, ?)");
    const json = "x".repeat(rowBytes);
    const line = "y".repeat(LINE_BYTES);
    const start = performance.now();
    for (let from = 0; from < rows; from += GROUP) {
      database.exec("BEGIN");
      for (let at = from; at < Math.min(rows, from + GROUP); at++) insert.run(at, json, line);
      database.exec("COMMIT");
    }
    return rows / ((performance.now() - start) / 1000);
  } finally {
    database.close();
  }
}
