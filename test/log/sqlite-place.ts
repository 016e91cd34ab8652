import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { indexFileIn } from "../../src/log/sqlite/search/index-file.ts";
import type { LogPlace } from "./place.ts";

export const makeDirectory = (): Promise<string> => mkdtemp(path.join(tmpdir(), "parley-log-"));

/** The position up to which the index in a data directory goes; 0 while there is none. */
export function indexedTo(directory: string): number {
  if (!existsSync(indexFileIn(directory))) return 0;
  const database = new DatabaseSync(indexFileIn(directory), { readOnly: true });
  try {
    return Number(database.prepare("SELECT value FROM meta WHERE name = 'upTo'").get()?.value ?? 0);
  } catch {
    // It is being made at this moment.
    return 0;
  } finally {
    database.close();
  }
}

export async function sqlitePlace(): Promise<LogPlace> {
  const directory = await makeDirectory();
  return {
    open: (options) => openSqliteLog({ directory, sync: "process", report: () => undefined, ...options }),
    indexedTo: async () => indexedTo(directory),
    destroy: () => rm(directory, { recursive: true, force: true }),
  };
}
