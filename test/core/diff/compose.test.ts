import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { composeHunks } from "../../../src/core/diff/compose.ts";
import { applyHunks, parseDiff, reversed } from "../../../src/core/diff/patch.ts";
import { unifiedDiff } from "../../../src/core/diff/unified-diff.ts";

/** Texts of a few different lines, so that many are alike, with or without a line feed at the end. */
const text = fc
  .tuple(fc.array(fc.constantFrom("a", "b", "c", "", "- d", "+ e"), { maxLength: 25 }), fc.boolean())
  .map(([lines, ends]) => (lines.length === 0 ? "" : lines.join("\n") + (ends ? "\n" : "")));

test("two diffs made into one lead from the first text to the last one, and back", () => {
  fc.assert(
    fc.property(text, text, text, (first, second, third) => {
      const one = unifiedDiff("f", first, second).diff;
      const other = unifiedDiff("f", second, third).diff;
      const both = composeHunks(one, other);
      assert.ok(both !== undefined);
      const hunks = parseDiff(both);
      assert.equal(applyHunks(first, hunks), third);
      assert.equal(applyHunks(third, reversed(hunks)), first);
    }),
    { numRuns: 2_000 },
  );
});

test("a change that is taken back leaves no hunk", () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      const there = unifiedDiff("f", first, second).diff;
      const back = unifiedDiff("f", second, first).diff;
      assert.equal(composeHunks(there, back), "");
    }),
  );
});

test("changes far from each other stay two hunks, with the numbers of the whole", () => {
  const lines = Array.from({ length: 60 }, (_, n) => `line ${n + 1}\n`);
  const first = lines.join("");
  const second = lines.toSpliced(5, 0, "new\n", "new\n").join("");
  const third = lines.toSpliced(5, 0, "new\n", "new\n").toSpliced(52, 1).join("");
  const both = composeHunks(unifiedDiff("f", first, second).diff, unifiedDiff("f", second, third).diff) ?? "";
  assert.deepEqual(both, unifiedDiff("f", first, third).diff.split("\n").slice(2).join("\n"));
});

test("diffs that do not agree about a line are not made into one", () => {
  const one = unifiedDiff("f", "a\nb\n", "a\nc\n").diff;
  assert.equal(composeHunks(one, unifiedDiff("f", "a\nd\n", "a\ne\n").diff), undefined);
  const twice = `${one}@@ -1,1 +1,1 @@\n-a\n+x\n`;
  assert.equal(composeHunks(twice, one), undefined, "hunks that step back are no diff of one text");
});
