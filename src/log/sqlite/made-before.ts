import { existsSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ParleyError } from "../../core/errors.ts";

/** The file that says that a directory has had a log. Without it an emptied directory looks like a new one. */
const MARK = "log.made";

export function markMade(directory: string): void {
  const mark = path.join(directory, MARK);
  if (existsSync(mark)) return;
  const words =
    "This directory has a log, parley.db. Without this file Parley would begin a new one if it were gone.\n";
  writeFileSync(mark, words, { mode: 0o600 });
}

/** The fault of a directory whose log is gone or empty, and the way out; undefined where the log is there, or never was. */
export function vanished(directory: string, file: string): { what: string; advice: string } | undefined {
  if (sizeOf(file) > 0) return undefined;
  const mark = path.join(directory, MARK);
  const rest = sizeOf(`${file}-wal`) > 0;
  if (!existsSync(mark) && !rest) return undefined;
  const what = `${file} ${existsSync(file) ? "is empty" : "is gone"}, though this directory had a log`;
  const advice = rest
    ? `put it back from a backup, save what is left with \`parley doctor --repair\`, or remove ${mark} and ${file}-wal to begin a new one`
    : `put it back from a backup, or remove ${mark} to begin a new one`;
  return { what, advice };
}

/** Refuses to begin a new log where there was one: the user must learn first that it is gone. */
export function assertNotVanished(directory: string, file: string): void {
  const wrong = vanished(directory, file);
  if (wrong) throw new ParleyError("log_damaged", `${wrong.what}: ${wrong.advice}`, { directory });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
