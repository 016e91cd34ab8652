import { setTimeout as sleep } from "node:timers/promises";
import { isParleyError, type ParleyError } from "../../core/errors.ts";
import { isStorageRefusal } from "../../core/storage-refusal.ts";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

const isUnknown = (error: unknown): boolean => isParleyError(error) && error.code === "outcome_unknown";

/**
 * Makes a write that `must` happen until the log takes it: an agent's words cannot be asked for again. A write whose
 * outcome is not known is made again in any case, once at once, until it is known.
 */
export async function storePatiently<T>(
  write: () => Promise<T>,
  must: boolean,
  refused: (error: ParleyError) => void,
): Promise<T> {
  let repeated = false;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!isStorageRefusal(error)) throw error;
      const unknown = isUnknown(error);
      if (!must && !unknown) throw error;
      if (unknown && !repeated) {
        repeated = true;
        continue;
      }
      refused(error);
      await sleep(wait, undefined, { ref: false });
    }
  }
}
