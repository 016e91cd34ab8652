import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../../bench/harness/settled.ts";

const SETTLING = { pauseMs: 10, looks: 3, tolerance: 2, most: 8 };

async function settle(values: readonly number[]): Promise<{ value: number; looks: number; paused: number }> {
  let [looks, paused] = [0, 0];
  const look = (): number => values[looks++] ?? Number.NaN;
  const value = await settled(look, SETTLING, async (ms) => {
    paused += ms;
  });
  return { value, looks, paused };
}

test("a value has come to rest when some looks in a row differ little", async () => {
  assert.deepEqual(await settle([100, 90, 60, 59, 60.5, 1]), { value: 60.5, looks: 5, paused: 40 });
});

test("a value that never rests is taken as it is, after the most looks", async () => {
  assert.deepEqual(await settle([1, 9, 1, 9, 1, 9, 1, 8, 1]), { value: 8, looks: 8, paused: 70 });
});
