import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import type { LogPlace } from "./place.ts";

export const makeDirectory = (): Promise<string> => mkdtemp(path.join(tmpdir(), "parley-log-"));

export async function sqlitePlace(): Promise<LogPlace> {
  const directory = await makeDirectory();
  return {
    open: (options) => openSqliteLog({ directory, sync: "process", report: () => undefined, ...options }),
    destroy: () => rm(directory, { recursive: true, force: true }),
  };
}
