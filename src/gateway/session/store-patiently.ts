import { setTimeout as sleep } from "node:timers/promises";
import type { ParleyError } from "../../core/errors.ts";
import { isStorageRefusal } from "../../core/storage-refusal.ts";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/** Tries a write until the disk takes it: an agent's words cannot be asked for again. */
export async function storePatiently<T>(write: () => Promise<T>, onRefused: (error: ParleyError) => void): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!isStorageRefusal(error)) throw error;
      onRefused(error);
      await sleep(wait, undefined, { ref: false });
    }
  }
}
