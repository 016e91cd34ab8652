import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventOf, ParleyEvent } from "../../core/events/event.ts";
import { jsonIn } from "../../core/json/fields.ts";
import type { SessionState } from "../../core/session-state.ts";
import { spentOf } from "../../core/spending/spent.ts";
import { createSpentWriter } from "./spent.ts";
import { preparer } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

/** Positions looked at in one transaction. */
const SLICE = 2_000;

/** Counts the turns of an older Parley, the newest first and a slice at a time: a start does not wait for it. */
export function createCountOlder(database: DatabaseSync): (checkOpen: () => void) => Promise<void> {
  const prepared = preparer(database);
  const uncounted = prepared<[], { value: number }>("SELECT value FROM meta WHERE name = 'uncounted'");
  const counted = prepared<[number]>("UPDATE meta SET value = ? WHERE name = 'uncounted'");
  const ends = prepared<[number, number], { sid: number; seq: number; json: string }>(
    "SELECT sid, seq, json FROM events WHERE position > ? AND position <= ? AND type = 'turn.ended'",
  );
  const start = prepared<[number, number], { json: string }>(
    "SELECT json FROM events WHERE sid = ? AND type = 'turn.started' AND seq < ? ORDER BY seq DESC LIMIT 1",
  );
  const session = prepared<[number], { state: string | null }>("SELECT state FROM sessions WHERE sid = ?");
  const root = prepared<[string], { state: string | null }>("SELECT state FROM sessions WHERE id = ?");
  const writeSpent = createSpentWriter(database);

  function count(sid: number, event: EventOf<"turn.ended">): void {
    const state = jsonIn(session.get(sid)?.state ?? "") as SessionState | undefined;
    if (!state) return;
    const started = jsonIn(start.get(sid, event.seq)?.json ?? "") as EventOf<"turn.started"> | undefined;
    const above = jsonIn((state.root && root.get(state.root)?.state) || "") as SessionState | undefined;
    const spent = spentOf(state, event, { started: started?.data, rootMeta: above?.meta });
    if (spent) writeSpent(spent);
  }

  function countSlice(to: number): number {
    const from = Math.max(0, to - SLICE);
    for (const { sid, json } of ends.all(from, to)) {
      const event = jsonIn(json) as ParleyEvent | undefined;
      if (event?.type === "turn.ended") count(sid, event);
    }
    counted.run(from);
    return from;
  }

  return async (checkOpen) => {
    let left = uncounted.get()?.value ?? 0;
    while (left > 0) {
      checkOpen();
      const to = left;
      left = inTransaction(database, () => countSlice(to));
      await nextTurn();
    }
  };
}
