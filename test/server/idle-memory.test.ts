import assert from "node:assert/strict";
import { test } from "node:test";
import { nextLook } from "../../src/server/lifecycle/idle-memory.ts";

function tidied(workedMs: readonly number[]): boolean[] {
  let look = { owed: true, tidy: false };
  return workedMs.map((worked) => {
    look = nextLook(look, worked);
    return look.tidy;
  });
}

const cases: [string, number[], boolean[]][] = [
  ["once after the start", [3000, 2, 1, 3], [false, true, false, false]],
  ["not while there is work", [500, 900, 40, 4000], [false, false, false, false]],
  ["again after each time of work", [500, 0, 0, 700, 0, 0], [false, true, false, false, true, false]],
  ["not again for the work of giving it back", [500, 0, 90, 0, 0], [false, true, false, false, false]],
  ["at the first look when the start was quick", [5, 5], [true, false]],
];
for (const [name, workedMs, expected] of cases) {
  test(`memory is given back ${name}`, () => assert.deepEqual(tidied(workedMs), expected));
}
