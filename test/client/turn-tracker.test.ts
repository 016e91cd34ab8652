import assert from "node:assert/strict";
import { test } from "node:test";
import type { GapEvent, ParleyEvent, Receipt, Session, StreamEvent } from "../../src/client/index.ts";
import { TurnTracker } from "../../src/client/turn-tracker.ts";

const QUEUED: Receipt = { prompt: "msg_1", status: "queued", position: 1, seq: 5 };
const STARTED: Receipt = { prompt: "msg_1", status: "started", turn: "trn_1", seq: 5 };

function event(type: string, data: unknown, turn?: string): StreamEvent {
  return { id: "ses_1:9", seq: 9, session: "ses_1", time: 0, source: "parley", type, data, turn } as ParleyEvent;
}

function said(text: string, turn: string, role = "assistant"): StreamEvent {
  return event("item.completed", { item: { id: "prt_1", kind: "message", role, status: "completed", text } }, turn);
}

function gap(snapshot: Partial<Session>): GapEvent {
  const data = { after: 1, first: 10, snapshot: { queue: [], turn: null, ...snapshot } as unknown as Session };
  return { type: "gap", id: "ses_1:9", seq: 9, session: "ses_1", data };
}

const openTurn = (id: string, prompt: string) =>
  ({ turn: { id, prompt, seq: 1, by: "user", started: 0, status: { status: "running" } } }) as Partial<Session>;

for (const [name, receipt, events, expected] of [
  [
    "events of other turns are not mine",
    STARTED,
    [event("turn.status", {}, "trn_0"), event("turn.ended", {}, "trn_0")],
    "--",
  ],
  [
    "events without a turn are not mine",
    STARTED,
    [event("session.updated", {}), event("prompt.queued", { prompt: { id: "msg_2" } })],
    "--",
  ],
  ["my place in the queue is mine", QUEUED, [event("prompt.queued", { prompt: { id: "msg_1" } })], "m"],
  [
    "the turn of a queued prompt is known by its start",
    QUEUED,
    [
      event("turn.status", {}, "trn_1"),
      event("turn.started", { prompt: { id: "msg_1" } }, "trn_1"),
      event("turn.status", {}, "trn_1"),
    ],
    "-mm",
  ],
  ["a gap before my turn began", QUEUED, [gap({ queue: [{ id: "msg_1", parts: [] }] })], "m"],
  ["a gap within my turn", QUEUED, [gap(openTurn("trn_1", "msg_1")), event("turn.status", {}, "trn_1")], "mm"],
] as const) {
  test(name, () => {
    const tracker = new TurnTracker(receipt);
    assert.equal(events.map((one) => (tracker.take(one).mine ? "m" : "-")).join(""), expected);
  });
}

test("the outcome is the turn's end with what the assistant said last", () => {
  const tracker = new TurnTracker(STARTED);
  for (const one of [
    said("first", "trn_1"),
    said("last", "trn_1"),
    said("user", "trn_1", "user"),
    said("other", "trn_2"),
  ])
    assert.equal(tracker.take(one).outcome, undefined);
  const usage = { cost: 1 };
  assert.deepEqual(tracker.take(event("turn.ended", { reason: "end_turn", usage, duration: 3 }, "trn_1")).outcome, {
    ...{ receipt: STARTED, turn: "trn_1", reason: "end_turn", text: "last", usage, duration: 3 },
  });
});

test("a prompt that was withdrawn is over", () => {
  const tracker = new TurnTracker(QUEUED);
  assert.deepEqual(tracker.take(event("prompt.withdrawn", { prompt: "msg_2" })), { mine: false });
  assert.deepEqual(tracker.take(event("prompt.withdrawn", { prompt: "msg_1" })).outcome, {
    ...{ receipt: QUEUED, reason: "withdrawn", text: "" },
  });
});

for (const snapshot of [{}, openTurn("trn_9", "msg_9")]) {
  test(`a gap that hides the end is an error (${snapshot.turn ? "another turn runs" : "nothing runs"})`, () => {
    assert.throws(() => new TurnTracker(STARTED).take(gap(snapshot)), /the end of prompt msg_1 is no longer kept/);
  });
}
