import type { ParleyEvent } from "../core/events/event.ts";
import type { Log } from "../log/contract.ts";

const PAGE = 1_000;

/** All stored events after a number, parsed. For bounded ranges only. */
export async function readEvents(log: Log, session: string, after: number): Promise<ParleyEvent[]> {
  const events: ParleyEvent[] = [];
  for (let cursor = after; ; ) {
    const page = await log.read(session, { after: cursor, limit: PAGE });
    for (const { json, folded } of page) {
      const event = JSON.parse(json) as ParleyEvent;
      events.push(folded > 0 ? { ...event, folded } : event);
    }
    if (page.length < PAGE) return events;
    cursor = page.at(-1)?.seq ?? cursor;
  }
}
