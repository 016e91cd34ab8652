import { isParleyError } from "../../core/errors.ts";
import type { Log } from "../../log/contract.ts";

/** Folds a session's ended turns, then drops all but so many of its events; 0 keeps all. */
export async function tidyLog(log: Log, session: string, last: number, keep: number): Promise<void> {
  try {
    await log.fold(session, last);
    if (keep > 0 && last > keep) await log.prune(session, last - keep);
  } catch (error) {
    // What a shutdown leaves unfolded is folded after a later turn.
    if (!isParleyError(error) || error.code !== "shutting_down") throw error;
  }
}
