import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { acquireLock } from "../../host/data-lock.ts";
import { vanished } from "../../log/sqlite/made-before.ts";
import { showRanges } from "../../log/sqlite/salvage/plan.ts";
import { databaseIn, type SalvageReport, salvage } from "../../log/sqlite/salvage/salvage.ts";
import { AlreadyRunning } from "../../server/parley.ts";
import type { Settings } from "../config/settings.ts";
import { CliError } from "../exit.ts";
import { startProblem } from "../serve/problems.ts";

export interface Repair extends SalvageReport {
  /** Where the files are as they were found. */
  backup: string;
}

const SIDES = ["", "-wal", "-shm"];

/** Saves what can be read of a data directory's log into a new one, which takes its place. The old one is kept. */
export async function repair(settings: Settings): Promise<Repair> {
  const { dataDir } = settings;
  const file = databaseIn(dataDir);
  const rest = ["", "-wal"].some((side) => (statSync(file + side, { throwIfNoEntry: false })?.size ?? 0) > 0);
  const gone = vanished(dataDir, file);
  if (!rest) throw new CliError(`nothing is left to repair: ${gone ? `${gone.what}: ${gone.advice}` : `no ${file}`}`);
  const lock = await acquireLock(dataDir);
  if (!lock.ok) throw new CliError(`${new AlreadyRunning(dataDir, lock.owner).message}: stop it first`);
  try {
    return repairLocked(dataDir, file);
  } catch (thrown) {
    throw startProblem(thrown, settings);
  } finally {
    lock.release();
  }
}

function repairLocked(dataDir: string, file: string): Repair {
  const now = Date.now();
  const backup = join(dataDir, `damaged-${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`);
  const draft = `${backup}.new`;
  mkdirSync(backup, { mode: 0o700 });
  for (const side of SIDES) if (existsSync(file + side)) copyFileSync(file + side, databaseIn(backup) + side);
  try {
    // A copy of the copy: reading its index may write beside it.
    mkdirSync(draft, { mode: 0o700 });
    const work = join(draft, "work.db");
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

export function renderRepair({ sessions, events, lost, losses, backup }: Repair): string {
  const lines = [`saved ${events} events of ${sessions} sessions; ${lost === 0 ? "nothing is lost" : `lost ${lost}`}`];
  for (const loss of losses) lines.push(`  ${loss.session}  lost ${showRanges(loss.lost)}`);
  lines.push(`the files as they were are in ${backup}: remove them when all is well`);
  return `${lines.join("\n")}\n`;
}
