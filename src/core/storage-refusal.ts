import { type ErrorCode, isParleyError, type ParleyError } from "./errors.ts";

const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "disk_full",
  "unavailable",
  "storage_lost",
  "log_damaged",
  "outcome_unknown",
]);

/** Whether an error means that the log did not take a write, or did not say so, rather than that the request was wrong. */
export function isStorageRefusal(thrown: unknown): thrown is ParleyError {
  return isParleyError(thrown) && REFUSALS.has(thrown.code);
}

/** Whether the log did not say if it took a write. */
export function isUnknownOutcome(thrown: unknown): thrown is ParleyError {
  return isParleyError(thrown) && thrown.code === "outcome_unknown";
}

/** Whether a refusal stays until a person repairs the log's files: free space alone does not help. */
export function isLasting({ code }: ParleyError): boolean {
  return code === "storage_lost" || code === "log_damaged";
}
