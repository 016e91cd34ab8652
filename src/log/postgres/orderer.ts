import type { Database } from "../../postgres/database.ts";
import { createFloor, type PassRow } from "./floor.ts";

/** The pause after a pass that failed. */
const AGAIN_MS = 250;

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
  let closed = false;

  async function work(): Promise<void> {
    while (done < asked && !closed) {
      const [upTo, since] = [asked, oldestAt];
      oldestAt = 0;
      try {
        const used = floor.value();
        const [row] = await database.order<PassRow>("SELECT * FROM order_v1($1)", [used]);
        if (!row) throw new Error("expected a row of order_v1, got none");
        floor.learn(row, used);
        done = upTo;
        lagMs = performance.now() - since;
        passed(row.position, row.ordered > 0);
        settle((waiter) => waiter.resolve());
      } catch (thrown) {
        oldestAt = since;
        settle((waiter) => waiter.reject(thrown), Number.POSITIVE_INFINITY);
        report(thrown);
        timer = setTimeout(wake, AGAIN_MS).unref();
        break;
      }
    }
    working = undefined;
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
      if (timer === undefined) wake();
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
      wake();
      await working;
      closed = true;
      clearTimeout(timer);
    },
  };
}
