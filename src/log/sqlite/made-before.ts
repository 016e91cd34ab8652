import { existsSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ParleyError } from "../../core/errors.ts";

/** Says that a directory has had a log: without it an emptied one would look like one that was never used. */
const MARK = "log.made";

export function markMade(directory: string): void {
  const mark = path.join(directory, MARK);
  if (existsSync(mark)) return;
  const words =
    "This directory has a log, parley.db. Without this file Parley would begin a new one if it were gone.\n";
  writeFileSync(mark, words, { mode: 0o600 });
}

/** Refuses to begin a new log where there was one: whoever emptied it should hear of it first. */
export function assertNotVanished(directory: string, file: string): void {
  if (sizeOf(file) > 0) return;
  const mark = path.join(directory, MARK);
  if (!existsSync(mark) && sizeOf(`${file}-wal`) === 0) return;
  const what = existsSync(file) ? "is empty" : "is gone";
  const message =
    `${file} ${what}, though this directory had a log: put it back from a backup, save what is left with ` +
    `\`parley doctor --repair\`, or remove ${mark} and ${file}-wal to begin a new one`;
  throw new ParleyError("log_damaged", message, { directory });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
