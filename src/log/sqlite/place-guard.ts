import { type BigIntStats, type Stats, statSync } from "node:fs";
import path from "node:path";
import { ParleyError } from "../../core/errors.ts";
import { present } from "../../core/json/fields.ts";

export type PlaceGuard = ReturnType<typeof createPlaceGuard>;

const LOG_FILES = ["parley.db", "parley.db-wal", "parley.db-shm"];
const WRITTEN_FILES = 2;
/** So long a look counts for the pieces of an answer: a look at each would cost as much as half of its row. */
const LATELY_MS = 50;

/** The database keeps its files open, so that no other one has their numbers. */
type Identity = Pick<Stats | BigIntStats, "dev" | "ino">;

interface Watched {
  file: string;
  seen: Identity | undefined;
}

/**
 * Knows whether the files of an open database are still those at their paths: SQLite goes on writing to removed ones. `beside` names further files whose replacement makes another process the
 * owner.
 */
export function createPlaceGuard(directory: string, beside: readonly string[] = [], now: () => number = Date.now) {
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
    looked = now();
    return undefined;
  }

  /** Whether the files were in place a moment ago. A clock that was set back says nothing. */
  function isFresh(): boolean {
    const age = now() - looked;
    return since === undefined && age >= 0 && age < LATELY_MS;
  }

  function assertInPlace(): void {
    const found = fault(since === undefined ? written : files);
    if (found) throw found;
  }

  return {
    fault: () => fault(),
    /** Throws the fault. Called inside each transaction, so that nothing of it is stored. */
    assertInPlace,
    /** The same for a piece, which nobody is told by an answer that it is stored: a look of some milliseconds ago is enough. */
    assertLately(): void {
      if (!isFresh()) assertInPlace();
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
