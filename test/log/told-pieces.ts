import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import type { Entry, Hold, Log } from "../../src/log/contract.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { eventually } from "../support/eventually.ts";
import { drafts } from "./drafts.ts";
import { makeDirectory } from "./sqlite-place.ts";

export const piece = (text: string, native?: string): Entry => ({
  draft: drafts.delta("itm_a", text),
  ...(native === undefined ? {} : { native }),
});

/** The file in which pieces are written down. */
export const fileIn = (directory: string): string => path.join(directory, "parley.pieces");
export const textIn = (directory: string): string =>
  existsSync(fileIn(directory)) ? readFileSync(fileIn(directory), "utf8") : "";

export async function directoryOf(t: TestContext): Promise<string> {
  const directory = await makeDirectory();
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export async function openIn(t: TestContext, directory: string, sync: "process" | "disk" = "process"): Promise<Log> {
  const log = await openSqliteLog({ directory, sync, keepNative: true, report: () => undefined });
  t.after(() => log.close());
  return log;
}

/** Another program that keeps the database locked until the answer is called. */
export function lock(t: TestContext, directory: string): () => void {
  const other = new DatabaseSync(path.join(directory, "parley.db"));
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  return () => other.exec("ROLLBACK");
}

/** Appends a piece within a call, once the log is quiet enough for that. */
export function tell(held: Hold, after: number, entry: Entry): Promise<void> {
  return eventually("the log takes a piece within the call", () => held.appendPiece?.(after, entry) === true);
}
