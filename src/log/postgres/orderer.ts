import type { Database } from "../../postgres/database.ts";
import { createFloor, type PassRow } from "./floor.ts";
import { type Pace, pauseAfter } from "./pace.ts";

/** The pause after a pass that failed. */
const AGAIN_MS = 250;
/** The time between two passes that nobody waits for: each is a commit of its own, beside those of the appends. */
const PACE: Pace = { shortestMs: 10, longestMs: 50, perThingMs: 5 };

export interface OrdererOptions {
  database: Pick<Database, "order">;
  /** Hears of the newest position after each pass, and whether the pass has moved it. */
  passed(position: number, moved: boolean): void;
  /** Hears of what failed. */
  report(thrown: unknown): void;
}

interface Waiter {
  upTo: number;
  resolve(): void;
  reject(error: unknown): void;
}

export type Orderer = ReturnType<typeof createOrderer>;

/** Gives appends their places in the order over all sessions, after their commits. At most one pass is under way. */
export function createOrderer({ database, passed, report }: OrdererOptions) {
  const floor = createFloor();
  let waiters: Waiter[] = [];
  /** Counts what must be ordered; all up to `done` is. */
  let asked = 0;
  let done = 0;
  let oldestAt = 0;
  let lagMs = 0;
  let working: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let beganAt = Number.NEGATIVE_INFINITY;
  /** The pause after the last pass, and whether that failed. */
  let pause = PACE.shortestMs;
  let failed = false;
  let closed = false;

  /** One pass. */
  async function work(): Promise<void> {
    const [upTo, since] = [asked, oldestAt];
    oldestAt = 0;
    beganAt = performance.now();
    try {
      const used = floor.value();
      const [row] = await database.order<PassRow>("SELECT * FROM order_v1($1)", [used]);
      if (!row) throw new Error("expected a row of order_v1, got none");
      floor.learn(row, used);
      pause = pauseAfter(upTo - done, PACE);
      failed = false;
      done = upTo;
      lagMs = performance.now() - since;
      passed(row.position, row.ordered > 0);
      settle((waiter) => waiter.resolve());
    } catch (thrown) {
      oldestAt = since;
      settle((waiter) => waiter.reject(thrown), Number.POSITIVE_INFINITY);
      report(thrown);
      pause = AGAIN_MS;
      failed = true;
    }
    working = undefined;
    if (done < asked) plan();
  }

  /** A pass when the pause since the last one began is over, or at once where somebody waits for it. */
  function plan(): void {
    if (closed || working || timer !== undefined) return;
    const wait = waiters.length > 0 && !failed ? 0 : beganAt + pause - performance.now();
    if (wait <= 0) wake();
    else timer = setTimeout(wake, wait).unref();
  }

  function settle(end: (waiter: Waiter) => void, upTo = done): void {
    const over = waiters.filter((waiter) => waiter.upTo <= upTo);
    waiters = waiters.filter((waiter) => waiter.upTo > upTo);
    for (const waiter of over) end(waiter);
  }

  function wake(): void {
    clearTimeout(timer);
    timer = undefined;
    if (done < asked) working ??= work();
  }

  return {
    /** Something was stored that has no position yet. */
    stored(): void {
      asked += 1;
      oldestAt ||= performance.now();
      plan();
    },
    /** Resolves when all that was told so far has its position; rejects when the next pass fails. */
    settled(): Promise<void> {
      if (done === asked) return Promise.resolve();
      return new Promise((resolve, reject) => {
        waiters.push({ upTo: asked, resolve, reject });
        wake();
      });
    },
    floor: floor.value,
    /** It is time for a pass, whatever is known of the queue. */
    due: floor.due,
    /** Milliseconds from a commit of this process until its position, the last time. */
    lagMs: () => lagMs,
    async close(): Promise<void> {
      // The pass under way may be older than the last append.
      for (let passes = 0; passes < 2 && done < asked; passes++) {
        wake();
        await working;
      }
      closed = true;
      clearTimeout(timer);
    },
  };
}
