import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ParleyApiError, ParleyConnectionError, ParleyProtocolError } from "../../src/client/errors.ts";
import { Losses } from "../../src/client/losses.ts";
import { messageIds } from "../../src/client/message-id.ts";
import { backoffMs, isPassing, isUnanswered } from "../../src/client/retry.ts";
import { numberIn, orderOf } from "../../src/client/sequence.ts";
import { isId, timePart } from "../../src/core/ids.ts";
import { followsOn } from "../../src/log/cursor.ts";

test("an event is next exactly where the log's own rule says so", () => {
  const number = fc.integer({ min: 0, max: 12 });
  fc.assert(
    fc.property(number, number, number, (cursor, seq, folded) => {
      const order = orderOf(cursor, { seq, folded });
      assert.equal(order === "next", followsOn(cursor, { seq, folded }));
      assert.equal(order === "repeat", seq <= cursor);
    }),
  );
});

for (const [cursor, expected] of [
  ["12", 12],
  ["ses_x:12", 12],
  ["all:0", 0],
  ["latest", undefined],
  ["ses_x:", undefined],
  ["日:1", undefined],
  ["", undefined],
] as const) {
  test(`the number in "${cursor}" is ${expected}`, () => assert.equal(numberIn(cursor), expected));
}

for (const [attempt, least, most] of [
  [0, 0, 0],
  [1, 500, 1_000],
  [2, 1_000, 2_000],
  [4, 4_000, 8_000],
  [5, 7_500, 15_000],
  [50, 7_500, 15_000],
] as const) {
  test(`try ${attempt} comes after ${least} to ${most} ms`, () => {
    assert.equal(backoffMs(attempt, 1_000, 0), least);
    assert.equal(backoffMs(attempt, 1_000, 1), most);
  });
}

function refusal(status: number, retryAfterMs?: number): ParleyApiError {
  return new ParleyApiError("no", { status, code: "x", detail: "", problem: {}, retryAfterMs });
}

for (const [error, passing, unanswered] of [
  [new ParleyConnectionError("x"), true, true],
  [new ParleyProtocolError("x"), false, false],
  [new TypeError("x"), false, false],
  ...[400, 401, 403, 404, 409, 413, 421, 422].map((status) => [refusal(status), false, false] as const),
  ...[408, 429, 500, 507].map((status) => [refusal(status), true, false] as const),
  ...[502, 503, 504].map((status) => [refusal(status), true, true] as const),
] as const) {
  const name = error instanceof ParleyApiError ? error.status : error.name;
  test(`${name}: a stream ${passing ? "goes on" : "fails"}, a prompt is ${unanswered ? "" : "not "}sent again`, () => {
    assert.equal(isPassing(error), passing);
    assert.equal(isUnanswered(error), unanswered);
  });
}

test("losses count up until something came, and wait at least as long as they were told", () => {
  let now = 0;
  const losses = new Losses(
    (attempt, baseMs) => attempt * baseMs,
    10_000,
    () => now,
  );
  const lost = new ParleyConnectionError("lost");
  assert.deepEqual([losses.next(lost, "1"), losses.next(lost, "1")], [0, 1_000]);
  losses.baseMs = 100;
  assert.equal(losses.next(lost, "1"), 200);
  assert.equal(losses.next(refusal(503, 5_000), "1"), 5_000);
  losses.reset();
  assert.equal(losses.next(lost, "1"), 0);
  now = 9_901;
  assert.throws(() => losses.next(lost, "1"), /^ParleyConnectionError: gave up after 2 tries: lost/);
  assert.throws(() => losses.next(refusal(404), "1"), { status: 404 });
});

test("a fault is forgiven a few times at one place", () => {
  const losses = new Losses(() => 0, Number.POSITIVE_INFINITY);
  const fault = new ParleyProtocolError("hole");
  for (let time = 0; time < 4; time++) losses.next(fault, "1");
  losses.next(fault, "2");
  for (let time = 0; time < 4; time++) losses.next(fault, "1");
  assert.throws(() => losses.next(fault, "1"), fault);
});

test("prompt ids are the server's kind, sort as they were made, and never repeat", () => {
  const times = [1_000, 1_000, 999, 2_000, 2_000];
  const next = messageIds(() => times.shift() ?? 3_000);
  const ids = Array.from({ length: 2_000 }, next);
  assert.ok(ids.every((id) => isId("message", id)));
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids[0]?.slice(4, 16), timePart(1_000, 1, false));
});
