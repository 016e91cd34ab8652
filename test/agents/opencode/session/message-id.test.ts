import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MessageIds, partId } from "../../../../src/agents/opencode/message-id.ts";

const NOW = 1_790_000_000_000;
const NATIVE = /^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/;

/** The time in an id, as the program writes it: milliseconds times 4096, in 48 bits. */
const timeIn = (id: string): bigint => BigInt(`0x${id.slice(4, 16)}`);
const native = (ms: number, count = 1): string =>
  ((BigInt(ms) * 0x1000n + BigInt(count)) & 0xffff_ffff_ffffn).toString(16).padStart(12, "0");

describe("ids of messages", () => {
  test("look as the program's", () => {
    const id = new MessageIds(true, () => NOW).next();
    assert.match(id, NATIVE);
    assert.equal(id.slice(4, 16), native(NOW));
  });

  test("sort in the order in which they were made, also within a millisecond", () => {
    const ids = new MessageIds(true, () => NOW);
    const made = Array.from({ length: 5_000 }, () => ids.next());
    assert.deepEqual(made.toSorted(), made);
    assert.equal(new Set(made).size, made.length);
  });

  test("of parts are the same for the same message, and in the order of the parts", () => {
    const message = new MessageIds(true, () => NOW).next();
    const parts = Array.from({ length: 30 }, (_, index) => partId(message, index));
    for (const part of parts) assert.match(part, /^prt_[0-9a-f]{12}[0-9A-Za-z]{14}$/);
    assert.deepEqual(parts.toSorted(), parts);
    assert.equal(new Set(parts).size, parts.length);
  });

  test("never step back with the clock", () => {
    let now = NOW;
    const ids = new MessageIds(true, () => now);
    const before = ids.next();
    now -= 60_000;
    assert.ok(ids.next() > before);
  });

  for (const [what, after] of [
    ["an earlier message", `msg_${native(NOW - 1_000)}aaaaaaaaaaaaaa`],
    ["a message of the same moment", `msg_${native(NOW)}zzzzzzzzzzzzzz`],
    ["a message of a later clock", `msg_${native(NOW + 3_600_000, 7)}zzzzzzzzzzzzzz`],
  ] as const)
    test(`come after ${what}`, () => {
      const ids = new MessageIds(true, () => NOW);
      const [first, second] = [ids.next(after), ids.next()];
      assert.ok(first > after && second > first, `${after} ${first} ${second}`);
    });

  for (const after of ["", "msg_", "msg_own-name", "prt_ffffffffffff", "ffffffffffff"])
    test(`are of their own time after ${JSON.stringify(after)}`, () => {
      assert.equal(new MessageIds(true, () => NOW).next(after).slice(4, 16), native(NOW));
    });

  test("are late for another machine's clock, so that answers to them sort behind", () => {
    const id = new MessageIds(false, () => NOW).next();
    assert.equal(timeIn(id), BigInt(`0x${native(NOW - 10 * 60_000)}`));
  });

  test("take a clock with fractions", () => assert.match(new MessageIds(true, () => NOW + 0.75).next(), NATIVE));
});
