import { closeSync, openSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Narrowed } from "../../search/terms.ts";
import { openReadOnly } from "../reader/open-read-only.ts";
import { prepare, preparer } from "../statement.ts";
import { inTransaction } from "../transaction.ts";

/** Another version of the tables, or of the words that are kept in them, is made anew. */
const VERSION = 1;
const CHECKPOINT_PAGES = 500;
const JOURNAL_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * Words come as they are to be kept, so the tokenizer has only to split them. Their places are left to the judge
 * (`detail=none`), and texts are in the log (`content=''`): the index has about a tenth of their size, and as much again
 * for short beginnings of words.
 */
const TABLES = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE entries (position INTEGER PRIMARY KEY, sid INTEGER NOT NULL, seq INTEGER NOT NULL);
  CREATE INDEX entries_session ON entries (sid, seq);
  CREATE VIRTUAL TABLE words USING fts5(terms, content='', contentless_delete=1, detail=none, prefix='2 3',
    tokenize="ascii tokenchars ':'");
`;

export interface IndexEntry {
  position: number;
  sid: number;
  seq: number;
  terms: readonly string[];
  /** The sum of the event's row. */
  sum: number | null;
}

/** The newest entry, by which an index shows that it is of this log and not of another past of it. */
export interface Mark {
  position: number;
  sum: number | null;
}

export type IndexFile = ReturnType<typeof indexOf>;

export const indexFileIn = (directory: string): string => path.join(directory, "search.db");

/** Removes an index: it is made anew from the log. */
export function discardIndex(directory: string): void {
  for (const side of ["", "-wal", "-shm"]) rmSync(indexFileIn(directory) + side, { force: true });
}

/** Opens the index of a log for writing, and makes an empty one where there is none or one of another version or log. */
export function openIndexFile(directory: string, log: string, fits: (mark: Mark) => boolean, top: number): IndexFile {
  const file = indexFileIn(directory);
  if (statSync(file, { throwIfNoEntry: false })?.size) {
    const found = tryOpen(() => open(file), log);
    if (found && fits(found.mark())) {
      // A log that lost its end, as it may with the machine's power, gives the same positions out again.
      if (found.upTo() > top) found.forgetAfter(top);
      return found;
    }
    found?.close();
  }
  discardIndex(directory);
  const database = open(file);
  database.exec(`BEGIN IMMEDIATE; ${TABLES}; PRAGMA user_version = ${VERSION}; COMMIT`);
  const index = indexOf(database);
  index.setLog(log);
  return index;
}

/** Opens the index of a log that nobody writes to; undefined where there is none that fits. */
export function openIndexReader(directory: string, log: string): IndexFile | undefined {
  const file = indexFileIn(directory);
  if (!statSync(file, { throwIfNoEntry: false })?.size) return undefined;
  return tryOpen(() => openReadOnly(file), log);
}

function open(file: string): DatabaseSync {
  closeSync(openSync(file, "a", 0o600));
  const database = new DatabaseSync(file);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = ${JOURNAL_LIMIT_BYTES};
  `);
  return database;
}

function tryOpen(openDatabase: () => DatabaseSync, log: string): IndexFile | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase();
    const version = prepare<[], { user_version: number }>(database, "PRAGMA user_version").get()?.user_version;
    const index = version === VERSION ? indexOf(database) : undefined;
    if (index?.log() === log) return index;
  } catch {
    // Damaged, or no database at all.
  }
  database?.close();
  return undefined;
}

function indexOf(database: DatabaseSync) {
  const prepared = preparer(database);
  const read = prepared<[string], { value: string | number | null }>("SELECT value FROM meta WHERE name = ?");
  const write = prepared<[string, string | number | null]>(
    "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const addEntry = prepared<[number, number, number]>("INSERT INTO entries (position, sid, seq) VALUES (?, ?, ?)");
  const addWords = prepared<[number, string]>("INSERT INTO words (rowid, terms) VALUES (?, ?)");
  const below = prepared<[number, number, number], { position: number }>(
    "SELECT position FROM entries WHERE sid = ? AND seq < ? LIMIT ?",
  );
  const after = prepared<[number], { position: number }>("SELECT position FROM entries WHERE position > ?");
  const dropEntry = prepared<[number]>("DELETE FROM entries WHERE position = ?");
  const dropWords = prepared<[number]>("DELETE FROM words WHERE rowid = ?");
  const find = prepared<[string, number, number], { position: number }>(
    "SELECT rowid AS position FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?",
  );
  const number = (name: string): number => Number(read.get(name)?.value ?? 0);

  function drop(rows: readonly { position: number }[]): void {
    for (const { position } of rows) {
      dropEntry.run(position);
      dropWords.run(position);
    }
  }

  return {
    log: () => read.get("log")?.value,
    setLog: (log: string) => void write.run("log", log),
    upTo: () => number("upTo"),
    mark: (): Mark => ({ position: number("mark"), sum: (read.get("sum")?.value ?? null) as number | null }),
    /** Adds entries in the order of their positions; all up to a position is then in the index. */
    add(entries: readonly IndexEntry[], upTo: number): void {
      inTransaction(database, () => {
        for (const { position, sid, seq, terms } of entries) {
          addEntry.run(position, sid, seq);
          addWords.run(position, terms.join(" "));
        }
        const last = entries.at(-1);
        if (last) {
          write.run("mark", last.position);
          write.run("sum", last.sum);
        }
        write.run("upTo", upTo);
      });
    },
    /** Positions, the newest first. */
    find: (narrowed: Narrowed, before: number, limit: number) =>
      find.all(toMatch(narrowed), before, limit).map(({ position }) => position),
    /** Forgets some entries of a session below a number, and says whether there may be more. */
    forget(sid: number, first: number, limit: number): boolean {
      const rows = below.all(sid, first, limit);
      if (rows.length > 0) inTransaction(database, () => drop(rows));
      return rows.length === limit;
    },
    forgetAfter(position: number): void {
      inTransaction(database, () => {
        drop(after.all(position));
        for (const name of ["mark", "sum"]) write.run(name, null);
        write.run("upTo", position);
      });
    },
    close: () => database.close(),
  };
}

/** A query of FTS5. Terms hold letters, digits and colons, so that quotes are enough. */
function toMatch({ terms, prefixes }: Narrowed): string {
  const alternatives = terms.map((list) => `(${list.map((term) => `"${term}"`).join(" OR ")})`);
  return [...alternatives, ...prefixes.map((prefix) => `"${prefix}"*`)].join(" AND ");
}
