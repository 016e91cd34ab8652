import { setTimeout as delay } from "node:timers/promises";
import { PATIENCE_MS } from "./time.ts";

/** Polls a condition for which there is no event. The error names the condition. */
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
