import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { vanished } from "./made-before.ts";
import { databaseIn, type SalvageReport, salvage } from "./salvage/salvage.ts";

export interface LogRepair extends SalvageReport {
  /** The directory with the files as they were found. */
  backup: string;
}

const SIDES = ["", "-wal", "-shm"];

/** The reason why a directory has no log to repair; undefined where there is something left. */
export function nothingToRepair(directory: string): string | undefined {
  const file = databaseIn(directory);
  const sizeOf = (side: string): number => statSync(file + side, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf("") > 0 || sizeOf("-wal") > 0) return undefined;
  const gone = vanished(directory, file);
  return `nothing is left to repair: ${gone ? `${gone.what}: ${gone.advice}` : `no ${file}`}`;
}

/** Saves what can be read of a directory's log into a new one, which takes its place. The old files are kept. */
export function repairDirectory(directory: string): LogRepair {
  const file = databaseIn(directory);
  const now = Date.now();
  const backup = path.join(directory, `damaged-${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`);
  const draft = `${backup}.new`;
  mkdirSync(backup, { mode: 0o700 });
  for (const side of SIDES) if (existsSync(file + side)) copyFileSync(file + side, databaseIn(backup) + side);
  try {
    // Another copy is read for the index, because SQLite may write beside the file it reads.
    mkdirSync(draft, { mode: 0o700 });
    const work = path.join(draft, "work.db");
    closeSync(openSync(work, "a", 0o600));
    for (const side of SIDES) if (existsSync(file + side)) copyFileSync(file + side, work + side);
    const report = salvage(work, draft, now);
    for (const side of ["-wal", "-shm"]) rmSync(file + side, { force: true });
    renameSync(databaseIn(draft), file);
    return { ...report, backup };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
