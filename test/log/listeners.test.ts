import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import type { EventRecord } from "../../src/log/contract.ts";
import { createListeners } from "../../src/log/listeners.ts";

const record: EventRecord = { session: "ses_a", seq: 1, type: "error", json: "{}", folded: 0 };
const event: ParleyEvent = {
  id: "ses_a:1",
  seq: 1,
  session: "ses_a",
  time: 1,
  source: "parley",
  type: "error",
  data: { code: "x", message: "x" },
};

const unexpected = (thrown: unknown): never => assert.fail(String(thrown));

test("one that is stopped by another in the same commit does not hear of it", () => {
  const listeners = createListeners(unexpected);
  const stops: (() => void)[] = [];
  let heard = 0;
  const stopOthers = () => {
    heard++;
    for (const stop of stops.splice(1)) stop();
  };
  stops.push(listeners.add("ses_a", stopOthers), listeners.add("ses_a", stopOthers));
  listeners.publish([record], [event], 0);
  assert.equal(heard, 1);
});

test("one that joins in a commit hears of the next", () => {
  const listeners = createListeners(unexpected);
  let heard = 0;
  const stop = listeners.addAll(() => {
    listeners.addAll(() => heard++);
    stop();
  });
  listeners.publish([record], [event], 0);
  assert.equal(heard, 0);
  listeners.publish([record], [event], 0);
  assert.equal(heard, 1);
});

test("what a listener throws is reported", () => {
  const reported: unknown[] = [];
  const listeners = createListeners((thrown) => reported.push(thrown));
  listeners.add("ses_a", () => {
    throw new Error("bad");
  });
  listeners.publish([record], [event], 0);
  assert.deepEqual(reported.map(String), ["Error: bad"]);
});

test("each listener hears of a heavy commit in a turn of its own, and of the commits behind it after that", async () => {
  const listeners = createListeners(unexpected);
  const heard: string[] = [];
  listeners.addAll((records) => heard.push(`all ${records.length}`));
  listeners.add("ses_a", (records) => heard.push(`one ${records.length}`));
  const stop = listeners.add("ses_a", () => heard.push("left before its turn"));
  listeners.publish([record], [event], 0, true);
  listeners.publish([record, record], [event, event], 1);
  listeners.add("ses_a", () => heard.push("joined behind them"));
  assert.deepEqual(heard, []);
  stop();
  const turns: string[][] = [];
  while (heard.length < 4) {
    await nextTurn();
    turns.push([...heard]);
  }
  assert.deepEqual(turns[0], ["all 1"]);
  assert.deepEqual(turns[1], ["all 1", "one 1"]);
  assert.deepEqual(heard, ["all 1", "one 1", "all 2", "one 2"]);
  listeners.publish([record], [event], 3);
  assert.deepEqual(heard.slice(4), ["all 1", "one 1", "joined behind them"]);
});

test("all that waits is told before the log is closed", () => {
  const listeners = createListeners(unexpected);
  const heard: number[] = [];
  listeners.add("ses_a", (records) => heard.push(records.length));
  listeners.publish([record], [event], 0, true);
  listeners.publish([record, record], [event, event], 1);
  listeners.flush();
  assert.deepEqual(heard, [1, 2]);
});
