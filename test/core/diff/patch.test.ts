import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyHunks, parseDiff, reversed } from "../../../src/core/diff/patch.ts";
import { unifiedDiff } from "../../../src/core/diff/unified-diff.ts";

const line = fc.constantFrom("a", "b", "c", "", "\r", "@@ -1 +1 @@", "-x", "+y", "\\ No newline", "--- a/x");
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
  .map(([lines, ended]) => lines.join("\n") + (ended && lines.length > 0 ? "\n" : ""));

test("a diff turns one text into the other, and back", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const hunks = parseDiff(unifiedDiff("x", before, after).diff);
      assert.equal(applyHunks(before, hunks), after);
      assert.equal(applyHunks(after, reversed(hunks)), before);
    }),
    { numRuns: 2_000, seed: 11 },
  );
});

const BEFORE = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");
const SEVERAL = `Index: /somewhere/x
===================================================================
--- /somewhere/x
+++ /somewhere/x
@@ -1,3 +1,4 @@
+line 0
 line 1
 line 2
 line 3
@@ -10,5 +11,3 @@
 line 10
-line 11
-line 12
 line 13
 line 14
@@ -28,3 +27,4 @@ in a function
 line 28
 line 29
-line 30
+line thirty
+the end
\\ No newline at end of file
`;

test("several hunks, under a head of any sort", () => {
  const hunks = parseDiff(SEVERAL);
  const after = applyHunks(BEFORE, hunks);
  assert.match(after ?? "", /^line 0\nline 1\n.*line 10\nline 13\n.*line thirty\nthe end$/s);
  assert.equal(applyHunks(after ?? "", reversed(hunks)), BEFORE);
});

test("lines that have moved are found, changed ones are not", () => {
  const hunks = parseDiff(SEVERAL);
  const moved = `new first\nnew second\n${BEFORE}`;
  assert.equal(applyHunks(moved, hunks), `new first\nnew second\n${applyHunks(BEFORE, hunks)}`);
  assert.equal(applyHunks(BEFORE.replace("line 12\n", "line twelve\n"), hunks), undefined);
  assert.equal(applyHunks(BEFORE.slice(0, -1), hunks), undefined, "the last line's end counts");
  assert.equal(applyHunks("", hunks), undefined);
});

test("a new file comes from nothing only, and goes to nothing only", () => {
  const hunks = parseDiff(unifiedDiff("x", undefined, "one\ntwo").diff);
  assert.equal(applyHunks("", hunks), "one\ntwo");
  assert.equal(applyHunks("one\ntwo", reversed(hunks)), "");
  assert.equal(applyHunks("one\ntwo\n", reversed(hunks)), undefined);
  assert.equal(applyHunks("one\ntwo\nthree", reversed(hunks)), undefined);
});

test("a hunk without old lines does not fit outside of the text", () => {
  assert.equal(applyHunks("a\n", parseDiff("@@ -5,0 +6 @@\n+b\n")), undefined);
  assert.equal(applyHunks("a\n", parseDiff("@@ -1,0 +2 @@\n+b\n")), "a\nb\n");
});
