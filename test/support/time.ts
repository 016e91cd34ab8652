import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** The longest wait for an event. It only ends a test that would fail anyway, so that it allows for a very busy machine. */
export const PATIENCE_MS = 120_000;

/** The longest time for a group of tests with real programs. */
export const GROUP_MS = 900_000;

/** `npm run test:hard`: on a machine that does nothing else, limits on time and memory mean something. */
export const HARD = process.env.PARLEY_TEST_HARD === "1";

/** For a test that does nothing but measure the machine. */
export const measures = { skip: HARD ? false : "measures the machine: npm run test:hard" };

/** For a test that takes long and whose promise a shorter one of `npm test` holds, too. */
export const long = { skip: HARD ? false : "long: npm run test:hard" };

/** The rows of a table that `npm test` tries: the first stand for all, which `npm run test:hard` tries. */
export function firstOf<Row>(rows: readonly Row[], count: number): readonly Row[] {
  return HARD ? rows : rows.slice(0, count);
}

/** Holds a time against its limit, in `npm run test:hard` alone. */
export function assertWithin(ms: number, limit: number, what: string): void {
  if (HARD) assert.ok(ms < limit, `expected ${what} within ${limit} ms, it took ${Math.round(ms)} ms`);
}

/** Does something about a wait that takes too long. Dispose of it when the wait is over. */
export function deadline(late: () => void, ms = PATIENCE_MS): Disposable {
  const timer = setTimeout(late, ms).unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Milliseconds that this thread worked meanwhile. Other work of the machine hardly changes them. */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Watches that something stays as it is. Only time can show that nothing happens; a slow machine makes it see less, never fail. */
export async function staysSo(what: string, holds: () => boolean, forMs = 100): Promise<void> {
  for (const until = performance.now() + forMs; performance.now() < until; await delay(5)) {
    assert.ok(holds(), `expected ${what}, for ${forMs} ms`);
  }
  assert.ok(holds(), `expected ${what}, for ${forMs} ms`);
}
