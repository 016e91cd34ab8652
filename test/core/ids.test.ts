import assert from "node:assert/strict";
import { test } from "node:test";
import { idSource, isId, timePart } from "../../src/core/ids.ts";

test("ids of one kind sort by time, sessions newest first, even within a millisecond and when the clock steps back", () => {
  const times = [1_000, 1_000, 1_000, 999, 1_001, 5_000];
  for (const [kind, newestFirst] of [
    ["message", false],
    ["item", false],
    ["session", true],
  ] as const) {
    let at = 0;
    const make = idSource(() => times[at++ % times.length] ?? 0);
    const made = times.map(() => make(kind));
    const sorted = [...made].sort();
    assert.deepEqual(newestFirst ? sorted.reverse() : sorted, made);
  }
});

test("the time part is 48 bits in hex, as OpenCode's ids have it", () => {
  assert.equal(timePart(1_794_778_476_878, 1, false), "1e122314e001");
  assert.equal(timePart(1_794_778_476_878, 1, true), "e1eddceb1ffe");
});

test("a hundred thousand ids do not collide", () => {
  const make = idSource(Date.now);
  assert.equal(new Set(Array.from({ length: 100_000 }, () => make("turn"))).size, 100_000);
});

for (const [value, ok] of [
  ["msg_1", true],
  ["msg_custom-id_9", true],
  ["ses_1", false],
  ["msg_", false],
  ["msg_../x", false],
  [`msg_${"a".repeat(65)}`, false],
  ["", false],
] as const) {
  test(`${JSON.stringify(value)} is ${ok ? "" : "not "}a message id`, () => {
    assert.equal(isId("message", value), ok);
  });
}
