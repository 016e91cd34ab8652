import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, messageOf, ParleyError } from "../core/errors.ts";
import { isRunning, startTime } from "./process-identity.ts";

/** The process that writes to a data directory. */
export interface LockOwner {
  pid: number;
  /** The start time of the process, as its system gives it. */
  started: string;
  /** The address on which it listens, once it does. */
  url?: string;
}

export type LockResult = LockHeld | { ok: false; owner: LockOwner };

export interface LockHeld {
  ok: true;
  /** The file that holds the lock: replacing it would let another process in. */
  file: string;
  /** Tells others where to find the owner. */
  publish(facts: { url: string }): void;
  release(): void;
}

const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
const RETRY_MS = 20;
/** How long a winner may take to write down who it is. */
const PATIENCE_MS = 5000;

const lockFile = (directory: string) => path.join(directory, "lock.db");
const ownerFile = (directory: string) => path.join(directory, "owner.json");

/**
 * Makes this process the only writer of a data directory. The lock is the system's own file lock, taken through SQLite:
 * two can never both have it, and it is gone with its process, however that ends, so there is no stale lock to break.
 * `owner.json` beside it only says who holds it.
 */
export async function acquireLock(directory: string): Promise<LockResult> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const database = tryLock(directory);
    const owner = readLock(directory);
    if (database && (!owner || owner.pid === process.pid)) return held(directory, database);
    // The lock was free, but its owner runs: the lock file was removed or replaced under it.
    database?.close();
    if (owner) return { ok: false, owner };
    if (performance.now() > deadline) {
      const message = `${directory} is locked by a process that did not say who it is: stop it, or choose another directory`;
      throw new ParleyError("unavailable", message);
    }
    await delay(RETRY_MS);
  }
}

/** The live owner of a data directory, if there is one. Never touches the lock itself. */
export function readLock(directory: string): LockOwner | undefined {
  const owner = readOwner(directory);
  return owner && isRunning(owner.pid, owner.started) ? owner : undefined;
}

function tryLock(directory: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    // A directory that was there already keeps its mode: it may be one that others need.
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    database = new DatabaseSync(lockFile(directory));
    database.exec("BEGIN EXCLUSIVE");
    chmodSync(lockFile(directory), 0o600);
    return database;
  } catch (thrown) {
    database?.close();
    if (isCode(thrown, SQLITE_BUSY)) return undefined;
    if (isCode(thrown, SQLITE_FULL) || codeOf(thrown) === "ENOSPC") {
      const words = `the disk of ${directory} is full: free some space, then try again`;
      throw new ParleyError("disk_full", words, { directory }, thrown);
    }
    const message = `could not lock ${directory} (${messageOf(thrown)}): see that it is a directory you can write to`;
    throw new ParleyError("unavailable", message, { directory }, thrown);
  }
}

function held(directory: string, database: DatabaseSync): LockHeld {
  const me: LockOwner = { pid: process.pid, started: startTime(process.pid) ?? "" };
  const file = lockFile(directory);
  const { dev, ino } = statSync(file, { bigint: true });
  // A directory that was replaced may belong to another process by now.
  const isOurs = (): boolean => {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found?.ino === ino && found.dev === dev;
  };
  try {
    writeOwner(directory, me);
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  return {
    ok: true,
    file,
    publish({ url }) {
      if (isOurs()) writeOwner(directory, { ...me, url });
    },
    release() {
      if (!database.isOpen) return;
      try {
        if (isOurs()) rmSync(ownerFile(directory), { force: true });
      } finally {
        database.close();
      }
    },
  };
}

/** By renaming, so that a reader sees all of it or nothing. */
function writeOwner(directory: string, owner: LockOwner): void {
  const draft = `${ownerFile(directory)}.${owner.pid}`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600);
  try {
    writeFileSync(file, `${JSON.stringify(owner)}\n`);
  } finally {
    closeSync(file);
  }
  renameSync(draft, ownerFile(directory));
}

function readOwner(directory: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(ownerFile(directory), "utf8"));
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is LockOwner {
  if (typeof value !== "object" || value === null) return false;
  const { pid, started } = value as Partial<Record<keyof LockOwner, unknown>>;
  return Number.isSafeInteger(pid) && typeof started === "string";
}

function isCode(thrown: unknown, code: number): boolean {
  return thrown instanceof Error && "errcode" in thrown && (Number(thrown.errcode) & 0xff) === code;
}
