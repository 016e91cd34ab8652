import type { ParleyEvent } from "../core/events/event.ts";
import type { EventRecord, Log } from "../log/contract.ts";

const PAGE = 1_000;

function parsed({ json, folded }: EventRecord): ParleyEvent {
  const event = JSON.parse(json) as ParleyEvent;
  return folded > 0 ? { ...event, folded } : event;
}

/** All stored events after a number, parsed. For bounded ranges only. */
export async function readEvents(log: Log, session: string, after: number): Promise<ParleyEvent[]> {
  const events: ParleyEvent[] = [];
  for (let cursor = after; ; ) {
    const page = await log.read(session, { after: cursor, limit: PAGE });
    events.push(...page.map(parsed));
    if (page.length < PAGE) return events;
    cursor = page.at(-1)?.seq ?? cursor;
  }
}

/**
 * The newest events of a session without deltas, `count` at most. Events are counted, not numbers: a long message has
 * thousands of deltas.
 */
export async function readNewest(log: Log, session: string, count: number): Promise<ParleyEvent[]> {
  let kept: EventRecord[] = [];
  for (let cursor = 0; ; ) {
    const page = await log.read(session, { after: cursor, limit: PAGE });
    kept = [...kept, ...page.filter(({ type }) => type !== "item.delta")].slice(-count);
    if (page.length < PAGE) return kept.map(parsed);
    cursor = page.at(-1)?.seq ?? cursor;
  }
}
