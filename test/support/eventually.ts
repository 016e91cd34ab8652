import { setTimeout as delay } from "node:timers/promises";
import { PATIENCE_MS } from "./time.ts";

/** Polls for what gives no event, and says what it waited for when that does not come. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
  within = PATIENCE_MS,
): Promise<void> {
  const until = performance.now() + within;
  while (!(await check())) {
    if (performance.now() > until) throw new Error(`not within ${within} ms: ${what}`);
    await delay(10);
  }
}
