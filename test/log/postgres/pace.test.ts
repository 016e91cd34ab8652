import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseAfter } from "../../../src/log/postgres/pace.ts";

test("the pause grows with what a statement carried, between its bounds", () => {
  const pace = { shortestMs: 10, longestMs: 40, perThingMs: 3 };
  const cases: [carried: number, pause: number][] = [
    [0, 10],
    [1, 10],
    [4, 12],
    [10, 30],
    [14, 40],
    [1_000, 40],
  ];
  for (const [carried, pause] of cases) assert.equal(pauseAfter(carried, pace), pause, `${carried} things`);
});
