import assert from "node:assert/strict";
import { test } from "node:test";
import { FewAtOnce } from "../../src/core/few-at-once.ts";

test("a few pieces of work are done at once, in their order, and one that fails makes room like any other", async () => {
  const few = new FewAtOnce(2);
  const begun: number[] = [];
  let [open, most] = [0, 0];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const done = gates.map(({ promise }, at) =>
    few.do(async () => {
      begun.push(at);
      most = Math.max(most, ++open);
      await promise.finally(() => open--);
      return at;
    }),
  );
  gates[0]?.reject(new Error("no"));
  await assert.rejects(async () => done[0], /no/);
  for (const { resolve } of gates.slice(1)) resolve();
  assert.deepEqual(await Promise.all(done.slice(1)), [1, 2, 3, 4]);
  assert.deepEqual([begun, most], [[0, 1, 2, 3, 4], 2]);
});
