import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventRecord, Log, PickQuery } from "../../../log/contract.ts";

/** How many numbers are looked through at once: others get their turn in between. */
const WINDOW = 16_384;

/** Some events between two numbers, a window at a time. */
export async function* picked(log: Log, session: string, query: PickQuery): AsyncGenerator<EventRecord> {
  const { after, before, ...what } = query;
  for (let from = after; from < before - 1; from += WINDOW) {
    if (from > after) await nextTurn();
    yield* await log.pick(session, { ...what, after: from, before: Math.min(before, from + WINDOW + 1) });
  }
}

/** The same from the newest to the oldest. */
export async function* pickedBack(log: Log, session: string, query: PickQuery): AsyncGenerator<EventRecord> {
  const { after, before, ...what } = query;
  for (let to = before; to > after + 1; to -= WINDOW) {
    if (to < before) await nextTurn();
    const found = await log.pick(session, { ...what, after: Math.max(after, to - WINDOW - 1), before: to });
    yield* found.reverse();
  }
}
