import { type BigIntStats, type Stats, statSync } from "node:fs";
import path from "node:path";
import { ParleyError } from "../../core/errors.ts";
import { present } from "../../core/json/fields.ts";

export type PlaceGuard = ReturnType<typeof createPlaceGuard>;

const LOG_FILES = ["parley.db", "parley.db-wal", "parley.db-shm"];
const WRITTEN_FILES = 2;
/** So long a look counts for the pieces of an answer: it costs as much as half a row. */
const LATELY_MS = 50;

/** The database keeps its files open, so that no other one has their numbers. */
type Identity = Pick<Stats | BigIntStats, "dev" | "ino">;

interface Watched {
  file: string;
  seen: Identity | undefined;
}

interface Clocks {
  now(): number;
  /** Nobody sets this one. */
  steady(): number;
}

const CLOCKS: Clocks = { now: Date.now, steady: () => performance.now() };

/**
 * Knows whether the files of an open database are still those at their paths: SQLite goes on writing to removed ones. `beside` names further files whose replacement makes another process the
 * owner.
 */
export function createPlaceGuard(directory: string, beside: readonly string[] = [], clocks: Clocks = CLOCKS) {
  const { now, steady } = clocks;
  const files: Watched[] = [...LOG_FILES.map((name) => path.join(directory, name)), ...beside].map((file) => ({
    file,
    seen: identityOf(file),
  }));
  // A look costs some microseconds for each file, so that a commit looks only at those that it writes to.
  const written = files.slice(0, WRITTEN_FILES);
  let lastStored: number | undefined;
  let since: number | undefined;
  let looked = Number.NEGATIVE_INFINITY;

  function fault(watched: readonly Watched[] = files): ParleyError | undefined {
    for (const { file, seen } of watched) {
      if (!seen) continue;
      const found = identityOf(file);
      if (found && isSame(found, seen)) continue;
      since ??= now();
      return lost(directory, `${path.basename(file)} is ${found ? "another file" : "missing"}`, since, lastStored);
    }
    if (watched === files) since = undefined;
    looked = steady();
    return undefined;
  }

  function assertOne(watched: readonly Watched[]): void {
    const found = fault(since === undefined ? watched : files);
    if (found) throw found;
  }

  return {
    fault: () => fault(),
    /** Throws the fault. Called inside each transaction, so that nothing of it is stored. */
    assertInPlace: () => assertOne(written),
    /** The same for a piece: a look of some milliseconds ago is enough where no fault is known. */
    assertLately(): void {
      if (since !== undefined || steady() - looked >= LATELY_MS) assertOne(written);
    },
    /** Looks after a piece was told, which did not wait for that: of pieces in a row, one at most is told after a loss. */
    lookAfter(): void {
      fault(written);
    },
    /** Something was stored now. */
    stored(): void {
      lastStored = now();
    },
  };
}

function isSame(one: Identity, other: Identity): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

/** Undefined for a file that is missing or cannot be looked at: no other process can find it there either. */
function identityOf(file: string): Identity | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    // Numbers of any size cost five times as much. The time of birth is no help: without statx it is that of the last change.
    const isExact = !found || (Number.isSafeInteger(found.ino) && Number.isSafeInteger(found.dev));
    return isExact ? found : statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function lost(directory: string, what: string, since: number, lastStored: number | undefined): ParleyError {
  const until = lastStored === undefined ? "the server's start" : new Date(lastStored).toISOString();
  const message =
    `the data directory ${directory} was removed, moved or replaced while the server runs (${what}), so nothing is ` +
    "stored and nothing was accepted: put the same files back, or restart the server; all that was accepted until " +
    `${until} is in the files that were there`;
  return new ParleyError("storage_lost", message, present({ directory, since, lastStored }));
}
