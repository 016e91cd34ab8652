import assert from "node:assert/strict";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import { type Checked, checkLaws } from "../../src/core/ledger/laws.ts";
import { readEvents } from "../../src/gateway/read-events.ts";
import type { Log } from "../../src/log/contract.ts";
import type { Api } from "./api.ts";
import { eventually } from "./eventually.ts";

export function assertLaws(session: string, events: readonly ParleyEvent[], checked: Checked = {}): void {
  const violations = checkLaws(events, checked).map(
    ({ law, seq, message }) => `law ${law} at ${seq}: ${message.slice(0, 300)}`,
  );
  assert.deepEqual(violations, [], `session ${session}`);
}

/** No number is missing: those that are not there are counted by the `folded` of the event that follows. */
export function assertNoGap(events: readonly ParleyEvent[], after = 0): void {
  let last = after;
  for (const { seq, folded = 0 } of events) {
    assert.ok(seq > last && seq - folded - 1 <= last, `${seq} (folded ${folded}) does not follow ${last}`);
    last = seq;
  }
}

/** The events of a session, over HTTP, once they are seen to be lawful and nothing is open. */
export async function lawfulEvents(api: Api, session: string): Promise<ParleyEvent[]> {
  const events = await api.events(session);
  assertLaws(session, events, { final: true });
  return events;
}

/** The same once the deltas of its turns are folded, which happens soon after each turn's end. */
export async function foldedEvents(api: Api, session: string): Promise<ParleyEvent[]> {
  let events: ParleyEvent[] = [];
  await eventually(`session ${session} is folded`, async () => {
    events = await lawfulEvents(api, session);
    return !events.some((event) => event.type === "item.delta");
  });
  return events;
}

/** Every session in a log is lawful and has no open turn. Of pruned ones the beginning is gone: their end is looked at. */
export async function assertLogLawful(log: Log): Promise<void> {
  for (let after = ""; ; ) {
    const page = await log.list({ after, limit: 100 });
    for (const { id, turn } of page) {
      assert.equal(turn, null, `session ${id} has an open turn`);
      const { first } = (await log.head(id)) ?? { first: 1 };
      const events = await readEvents(log, id, first - 1);
      if (first === 1) assertLaws(id, events);
      else assertNoGap(events, first - 1);
    }
    const last = page.at(-1);
    if (page.length < 100 || !last) return;
    after = last.id;
  }
}
