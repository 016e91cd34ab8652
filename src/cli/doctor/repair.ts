import { acquireLock } from "../../host/data-lock.ts";
import { type LogRepair, nothingToRepair, repairDirectory, showRanges } from "../../log/data-log-doctor.ts";
import { AlreadyRunning } from "../../server/parley.ts";
import type { Settings } from "../config/settings.ts";
import { CliError } from "../exit.ts";
import { startProblem } from "../serve/problems.ts";

/** Repairs a data directory's log while no server runs on it. */
export async function repair(settings: Settings): Promise<LogRepair> {
  const { dataDir } = settings;
  const nothing = nothingToRepair(dataDir);
  if (nothing !== undefined) throw new CliError(nothing);
  const lock = await acquireLock(dataDir);
  if (!lock.ok) throw new CliError(`${new AlreadyRunning(dataDir, lock.owner).message}: stop it first`);
  try {
    return repairDirectory(dataDir);
  } catch (thrown) {
    throw startProblem(thrown, settings);
  } finally {
    lock.release();
  }
}

export function renderRepair({ sessions, events, lost, losses, backup }: LogRepair): string {
  const lines = [`saved ${events} events of ${sessions} sessions; ${lost === 0 ? "nothing is lost" : `lost ${lost}`}`];
  for (const loss of losses) lines.push(`  ${loss.session}  lost ${showRanges(loss.lost)}`);
  lines.push(`the files as they were are in ${backup}: remove them when all is well`);
  return `${lines.join("\n")}\n`;
}
