import { setTimeout as sleep } from "node:timers/promises";
import type { ParleyError } from "../../core/errors.ts";
import { isStorageRefusal, isUnknownOutcome } from "../../core/storage-refusal.ts";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/**
 * Makes a write that `must` happen until the log takes it: an agent's words cannot be asked for again. A write whose
 * outcome is not known is made again in any case, once at once, until it is stored: a refusal of the repeat says nothing
 * about the write before it. `refused` hears of each refusal, and of the error by which the outcome became unknown.
 */
export async function storePatiently<T>(
  write: () => Promise<T>,
  must: boolean,
  refused: (error: ParleyError, doubt: ParleyError | undefined) => void,
): Promise<T> {
  let doubt: ParleyError | undefined;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!isStorageRefusal(error)) throw error;
      if (isUnknownOutcome(error) && !doubt) {
        doubt = error;
        continue;
      }
      if (!must && !doubt) throw error;
      refused(error, doubt);
      await sleep(wait, undefined, { ref: false });
    }
  }
}
