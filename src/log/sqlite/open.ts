import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Log, SyncMode } from "../contract.ts";
import { hasSpace, toStorageError } from "./errors.ts";
import { checkpointWithCommits } from "./late-checkpoint.ts";
import { createSqliteLog } from "./log.ts";
import { assertNotVanished, markMade } from "./made-before.ts";
import { migrate } from "./migrations.ts";
import { createPlaceGuard } from "./place-guard.ts";
import { nameLog } from "./search/log-id.ts";
import { prepare } from "./statement.ts";

export interface OpenSqliteLogOptions {
  directory: string;
  sync: SyncMode;
  /** Whether the agents' own lines are stored beside the events. Off unless asked for. */
  keepNative?: boolean;
  /** Further files by which others tell that the directory is taken, such as its lock. */
  guarded?: readonly string[];
  /** Hears of listeners that throw. */
  report?: (thrown: unknown) => void;
}

/** A start may meet the last moments of the process before it. */
const BUSY_TIMEOUT_MS = 2000;
const SERVING_BUSY_MS = 50;
const JOURNAL_LIMIT_BYTES = 16 * 1024 * 1024;

/** Opens the database `parley.db` of a data directory, with the newest schema. */
export function openDatabase(directory: string, sync: SyncMode): DatabaseSync {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, "parley.db");
  assertNotVanished(directory, file);
  // SQLite gives its side files the mode of the database, so only this one has to be private.
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${sync === "disk" ? "FULL" : "NORMAL"};
      PRAGMA journal_size_limit = ${JOURNAL_LIMIT_BYTES};
    `);
    checkpointWithCommits(database);
    migrate(database);
    nameLog(database);
    markMade(directory);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

export async function openSqliteLog(options: OpenSqliteLogOptions): Promise<Log> {
  const { directory, sync, keepNative = false, guarded, report = warn } = options;
  const space = () => hasSpace(directory);
  try {
    const database = openDatabase(directory, sync);
    // The side files are made by the first read.
    prepare(database, "SELECT count(*) FROM meta").get();
    // From here on a wait would block the event loop: a commit that finds the database locked is refused, or tried again.
    database.exec(`PRAGMA busy_timeout = ${SERVING_BUSY_MS}`);
    const guard = createPlaceGuard(directory, guarded);
    return createSqliteLog(database, { directory, keepNative, guard, early: sync !== "disk", hasSpace: space, report });
  } catch (thrown) {
    throw toStorageError(thrown, space);
  }
}

function warn(thrown: unknown): void {
  process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
}
