import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

/**
 * Opens a log's file without changing a byte of its directory. SQLite itself would make side files, or write to those
 * that a crash left. A file without a write-ahead log is read as one that nobody changes: see `fileChanges`. Only a
 * write-ahead log without its index, as a copy may have it, makes SQLite write a new index beside it.
 */
export function openReadOnly(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  const wal = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (!wal || wal.size === 0) url.search = "mode=ro&immutable=1";
  else url.search = existsSync(`${file}-shm`) ? "mode=ro&readonly_shm=1" : "mode=ro";
  return new DatabaseSync(url, { readOnly: true });
}

/** Tells whether a file was changed since this call. A server writes to the file itself only when it moves its write-ahead log. */
export function fileChanges(file: string): () => boolean {
  const look = (): string => {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}` : "";
  };
  const before = look();
  return () => look() !== before;
}
