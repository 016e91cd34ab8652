import { type ErrorCode, isParleyError, type ParleyError } from "./errors.ts";

const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "disk_full",
  "unavailable",
  "storage_lost",
  "log_damaged",
  "outcome_unknown",
]);

/** Whether the log did not take a write, or did not say so: not the fault of the request, which may be made again. */
export function isStorageRefusal(thrown: unknown): thrown is ParleyError {
  return isParleyError(thrown) && REFUSALS.has(thrown.code);
}

/** Whether room or a mended disk would not help: somebody has to do something about the files. */
export function isLasting({ code }: ParleyError): boolean {
  return code === "storage_lost" || code === "log_damaged";
}
