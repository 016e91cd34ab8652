import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

/** Long enough for a busy machine to read some events, too short for a person to notice. */
const MOMENT_MS = 200;

/**
 * OpenCode's own `run` leaves as soon as its prompt is answered, and what it has not read of the events by then is never
 * printed: the whole answer, where that came at once. So its programs get a moment to read; others are not kept waiting.
 */
export async function afterLastWords<T>({ req }: ServerResponse, answer: Promise<T>): Promise<T> {
  const value = await answer;
  if (req.headers["user-agent"]?.startsWith("opencode/")) await delay(MOMENT_MS);
  return value;
}
