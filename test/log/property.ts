import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Draft, ParleyEvent } from "../../src/core/events/event.ts";
import { reduceSession, type SessionState } from "../../src/core/session-state.ts";
import type { Log } from "../../src/log/contract.ts";
import { followsOn } from "../../src/log/cursor.ts";
import { drafts, entries, parsed, readWhole } from "./drafts.ts";
import { inPlace, type MakePlace } from "./place.ts";
import { append, create, fold, prune } from "./writers.ts";

type Step = { do: "append"; groups: Draft[][] } | { do: "fold" | "prune" | "read"; at: number } | { do: "reopen" };

const item = fc.constantFrom("A", "B", "C", "D");
const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 6, arbitrary: item.map((id) => drafts.delta(id, "x")) },
  { weight: 2, arbitrary: item.map((id) => drafts.completed(id, `all of ${id}`)) },
  { weight: 1, arbitrary: fc.constant(drafts.turnStarted("trn_1", "msg_1")) },
  { weight: 1, arbitrary: fc.constant(drafts.turnEnded("trn_1")) },
  { weight: 1, arbitrary: fc.string({ maxLength: 5 }).map(drafts.updated) },
  { weight: 1, arbitrary: fc.constantFrom(drafts.queued("msg_1"), drafts.asked("per_1"), drafts.answered("per_1")) },
);
/** A place in the history, as a share of it. */
const at = fc.double({ min: 0, max: 1, noNaN: true });
const groups = fc.array(fc.array(draft, { maxLength: 4 }), { minLength: 1, maxLength: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: groups.map((list) => ({ do: "append", groups: list }) as const) },
  { weight: 3, arbitrary: at.map((share) => ({ do: "fold", at: share }) as const) },
  { weight: 1, arbitrary: at.map((share) => ({ do: "prune", at: share }) as const) },
  { weight: 2, arbitrary: at.map((share) => ({ do: "read", at: share }) as const) },
  { weight: 1, arbitrary: fc.constant({ do: "reopen" } as const) },
);

/** As it is after a restart: JSON keeps no undefined. */
const stored = <T>(value: T): T => (value === undefined ? value : JSON.parse(JSON.stringify(value)));

const reduceAll = (events: readonly ParleyEvent[]) =>
  stored(events.reduce<SessionState | undefined>(reduceSession, undefined));

/** Everything that must hold of a session whose whole history is known. */
async function checkAll(log: Log, history: readonly ParleyEvent[]): Promise<void> {
  const head = await log.head("ses_a");
  const first = head?.first ?? 0;
  assert.deepEqual(stored(head), { state: reduceAll(history), last: history.length, first });
  const base = await log.base("ses_a");
  assert.deepEqual(base, first === 1 ? undefined : { first, state: reduceAll(history.slice(0, first - 1)) });

  const kept = await readWhole(log, "ses_a");
  let cursor = first - 1;
  for (const record of kept) {
    assert.ok(followsOn(cursor, record), `${record.seq} (${record.folded} folded) after ${cursor}`);
    cursor = record.seq;
  }
  assert.equal(cursor, history.length);

  const events = new Map(parsed(kept).map((event) => [event.seq, event]));
  for (const event of history.slice(first - 1)) {
    if (events.has(event.seq)) assert.deepEqual(events.get(event.seq), event);
    else assert.ok(isCovered(event, history), `${event.type} ${event.seq} is gone`);
  }
}

/** Whether a later completion holds the text of a delta. */
function isCovered(event: ParleyEvent, history: readonly ParleyEvent[]): boolean {
  if (event.type !== "item.delta") return false;
  const later = history.slice(event.seq);
  return later.some((other) => other.type === "item.completed" && other.data.item.id === event.data.item);
}

/** Random appends, folds, prunes and restarts, held against a plain list. */
export function logProperty(name: string, makePlace: MakePlace, numRuns: number): void {
  test(`after appends, folds and prunes in ${name} no number is lost and the state is that of all events`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        await inPlace(makePlace, async (place) => {
          let log = await place.open();
          const history = parsed(await create(log, "ses_a"));
          for (const current of steps) {
            const share = "at" in current ? Math.round(current.at * history.length) : 0;
            if (current.do === "append") {
              const appended = await Promise.all(
                current.groups.map((group) => append(log, "ses_a", entries(...group))),
              );
              history.push(...appended.flatMap(parsed));
            } else if (current.do === "read") {
              const after = Math.max(share, ((await log.head("ses_a"))?.first ?? 1) - 1);
              const [next] = await log.read("ses_a", { after, limit: 1 });
              assert.ok(after === history.length ? !next : next && followsOn(after, next));
            } else if (current.do === "reopen") {
              await log.close();
              log = await place.open();
            } else {
              await (current.do === "fold" ? fold : prune)(log, "ses_a", share);
            }
          }
          await checkAll(log, history);
          await log.close();
        });
      }),
      { numRuns },
    );
  });
}
