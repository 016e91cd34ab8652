import assert from "node:assert/strict";
import { test } from "node:test";
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
