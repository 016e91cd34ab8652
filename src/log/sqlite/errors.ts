import { statfsSync } from "node:fs";
import { isParleyError, messageOf, ParleyError } from "../../core/errors.ts";

const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/** Whether an error says that the file itself is damaged. */
export function isDamage(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/** Makes a ParleyError of what the database threw. `hasSpace` is asked only where SQLite does not say why it failed. */
export function toStorageError(thrown: unknown, hasSpace: () => boolean): ParleyError {
  if (isParleyError(thrown)) return thrown;
  const code = primaryCode(thrown);
  const systemCode = propertyOf(thrown, "code");
  if (code === SQLITE_FULL || systemCode === "ENOSPC" || (code === SQLITE_IOERR && !hasSpace())) {
    const message = "the disk is full, so nothing was stored: free some space, then try again";
    return new ParleyError("disk_full", message, {}, thrown);
  }
  if (code === SQLITE_BUSY) {
    const message = "another program holds parley.db locked, so nothing was stored: end it, then try again";
    return new ParleyError("unavailable", message, {}, thrown);
  }
  if (isDamage(thrown)) {
    const why = `the log is damaged (${messageOf(thrown)})`;
    const message = `${why}, so nothing was stored: stop the server and run \`parley doctor --repair\``;
    return new ParleyError("log_damaged", message, {}, thrown);
  }
  const message = `the log could not be used (${messageOf(thrown)}): see that its directory is readable and writable`;
  return new ParleyError("unavailable", message, {}, thrown);
}

/** Whether the file system has room left for an ordinary user; true where it cannot be asked. */
export function hasSpace(directory: string): boolean {
  try {
    return statfsSync(directory).bavail > 0;
  } catch {
    return true;
  }
}

function primaryCode(thrown: unknown): number | undefined {
  const code = propertyOf(thrown, "errcode");
  return typeof code === "number" ? code & 0xff : undefined;
}

function propertyOf(thrown: unknown, name: "code" | "errcode"): unknown {
  return thrown instanceof Error && name in thrown ? (thrown as Error & Record<typeof name, unknown>)[name] : undefined;
}
