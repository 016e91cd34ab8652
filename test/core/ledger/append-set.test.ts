import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AppendSet } from "../../../src/core/ledger/append-set.ts";

test("it is a set, and earlier versions of it stay as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 1_200 }), (numbers) => {
      const model = new Set<string>();
      let set = AppendSet.EMPTY;
      for (const number of numbers) {
        const before = set;
        const had = model.has(`${number}`);
        set = set.with(`${number}`);
        model.add(`${number}`);
        assert.equal(before.has(`${number}`), had);
      }
      assert.deepEqual([...set.keys()], [...model]);
      assert.deepEqual([...AppendSet.EMPTY.keys()], []);
    }),
    { numRuns: 50 },
  );
});
