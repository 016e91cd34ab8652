import type { ParleyEvent } from "../../core/events/event.ts";
import { reduceSession, type SessionState } from "../../core/session-state.ts";
import type { EventRecord, ReadQuery } from "../contract.ts";

const PAGE = 1_000;

/** A session's state by its events, as far as they can be read; undefined where they do not tell how it began. */
export function rebuildState(
  read: (query: ReadQuery) => EventRecord[],
  base: SessionState | undefined,
): SessionState | undefined {
  let state = base;
  for (let after = 0; ; ) {
    const records = read({ after, limit: PAGE });
    for (const { json } of records) state = reduced(state, JSON.parse(json) as ParleyEvent);
    const last = records.at(-1);
    if (!last || records.length < PAGE) return state;
    after = last.seq;
  }
}

/** An event that does not fit, because one before it is missing, changes nothing. */
function reduced(state: SessionState | undefined, event: ParleyEvent): SessionState | undefined {
  try {
    return reduceSession(state, event);
  } catch {
    return state;
  }
}
