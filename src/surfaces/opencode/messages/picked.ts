import { setImmediate as nextTurn } from "node:timers/promises";
import type { Between, EventRecord, Log, PickQuery } from "../../../log/contract.ts";

/** How many numbers are looked through at once: others get their turn in between. */
const WINDOW = 16_384;

/** `Log.told`, a window at a time. */
export async function* told(log: Log, session: string, { after, before }: Between): AsyncGenerator<EventRecord> {
  for (let from = after; from < before - 1; from += WINDOW) {
    if (from > after) await nextTurn();
    yield* await log.told(session, { after: from, before: Math.min(before, from + WINDOW + 1) });
  }
}

/** `Log.pick`, a window at a time, the newest first. */
export async function* pickedBack(log: Log, session: string, query: PickQuery): AsyncGenerator<EventRecord> {
  const { after, before, type, holding } = query;
  for (let to = before; to > after + 1; to -= WINDOW) {
    if (to < before) await nextTurn();
    const range = { after: Math.max(after, to - WINDOW - 1), before: to };
    yield* (await log.pick(session, { ...range, type, holding })).reverse();
  }
}
