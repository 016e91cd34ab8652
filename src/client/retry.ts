import { ParleyApiError, ParleyConnectionError } from "./errors.ts";

/** How long to wait before try number `attempt` (0 is the first one after a failure), in milliseconds. */
export type Backoff = (attempt: number, baseMs: number) => number;

const LONGEST_MS = 15_000;

/** The first try comes at once, then each wait doubles; half of it is left to chance so that clients spread out. */
export function backoffMs(attempt: number, baseMs: number, chance: number): number {
  if (attempt === 0) return 0;
  return Math.min(LONGEST_MS, baseMs * 2 ** (attempt - 1)) * (0.5 + chance / 2);
}

function failedBy(thrown: unknown, statuses: readonly number[]): boolean {
  return (
    thrown instanceof ParleyConnectionError || (thrown instanceof ParleyApiError && statuses.includes(thrown.status))
  );
}

/** For a request that may be repeated: whether the server may not have got it, or could not serve it yet. */
export function isUnanswered(thrown: unknown): boolean {
  return failedBy(thrown, [502, 503, 504]);
}

/** For a reader that wants to go on: whether trying again can help. */
export function isPassing(thrown: unknown): boolean {
  return failedBy(thrown, [408, 425, 429, 500, 502, 503, 504, 507]);
}

/** The wait before a try, but never less than the server asked for. */
export function waitFor(error: unknown, ms: number): number {
  return error instanceof ParleyApiError ? Math.max(ms, error.retryAfterMs ?? 0) : ms;
}

/** Resolves after a while, or as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal?.aborted) done();
    else signal?.addEventListener("abort", done);
  });
}
