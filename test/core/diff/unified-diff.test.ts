import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countLines } from "../../../src/core/diff/file-totals.ts";
import { applyHunks, parseDiff, reversed } from "../../../src/core/diff/patch.ts";
import { unifiedDiff } from "../../../src/core/diff/unified-diff.ts";

const cases: [before: string | undefined, after: string, diff: string][] = [
  ["a\n", "a\nb\n", "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n a\n+b\n"],
  ["a", "a\nb\n", "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n"],
  [undefined, "a\n", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"],
  ["a\nb\n", "b\n", "--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-a\n b\n"],
  ["a\n", "", "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n"],
  ["same\n", "same\n", "--- a/f\n+++ b/f\n"],
];

for (const [before, after, diff] of cases) {
  test(`${JSON.stringify(before)} to ${JSON.stringify(after)}`, () =>
    assert.equal(unifiedDiff("f", before, after).diff, diff));
}

test("only what differs is in the diff, with three lines around it", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
  const after = lines.with(10, "changed\n").join("");
  const { diff, additions, deletions } = unifiedDiff("f", lines.join(""), after);
  assert.deepEqual([additions, deletions, diff.split("\n").length], [1, 1, 12]);
  assert.match(diff, /^@@ -8,7 \+8,7 @@$/m);
});

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`);

test("lines 1 and 60 of 60 are two hunks, each with its own line numbers and three lines around it", () => {
  const lines = numbered(60);
  const after = lines.with(0, "first\n").with(59, "last\n").join("");
  const { diff, additions, deletions } = unifiedDiff("f", lines.join(""), after);
  assert.deepEqual([additions, deletions], [2, 2]);
  assert.equal(
    diff,
    `--- a/f
+++ b/f
@@ -1,4 +1,4 @@
-line 1
+first
 line 2
 line 3
 line 4
@@ -57,4 +57,4 @@
 line 57
 line 58
 line 59
-line 60
+last
`,
  );
});

test("hunks below the common lines at the start have the numbers of the whole file", () => {
  const lines = numbered(900);
  const after = lines.with(399, "one\n").with(699, "two\nthree\n").toSpliced(799, 1).join("");
  const { diff } = unifiedDiff("f", lines.join(""), after);
  assert.deepEqual(diff.match(/^@@.*@@$/gm), ["@@ -397,7 +397,7 @@", "@@ -697,7 +697,8 @@", "@@ -797,7 +798,6 @@"]);
});

test("only the line that differs is in the diff where line ends are CRLF, or change", () => {
  const windows = numbered(20).map((line) => line.replace("\n", "\r\n"));
  const { diff, additions, deletions } = unifiedDiff("f", windows.join(""), windows.with(10, "x\r\n").join(""));
  assert.deepEqual([additions, deletions], [1, 1]);
  assert.match(diff, /^-line 11\r\n\+x\r$/m);
  const changed = unifiedDiff("f", windows.join(""), windows.with(10, "line 11\n").join(""));
  assert.deepEqual([changed.additions, changed.deletions], [1, 1]);
});

test("a missing line feed at the end is a change of the last line alone", () => {
  const lines = numbered(30);
  const { diff, additions, deletions } = unifiedDiff("f", lines.join(""), lines.with(0, "x\n").join("").slice(0, -1));
  assert.deepEqual([additions, deletions], [2, 2]);
  assert.match(diff, /-line 30\n\+line 30\n\\ No newline at end of file\n$/);
});

test("a file name is in the diff as it is, also with letters of other languages", () => {
  assert.match(unifiedDiff("übung/文.txt", "a\n", "b\n").diff, /^--- a\/übung\/文\.txt\n\+\+\+ b\/übung\/文\.txt\n@@/);
});

const line = fc.constantFrom("a", "b", "", "c d", "\r", "++i", "--i", "@@ -1 +1 @@", "文");
const someText = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, ended]) => lines.join("\n") + (ended && lines.length > 0 ? "\n" : ""));

test("a diff that is applied gives what was written, one that is undone gives what was there, and its lines are counted", () => {
  fc.assert(
    fc.property(someText, someText, (before, after) => {
      const { diff, additions, deletions } = unifiedDiff("f", before, after);
      const hunks = parseDiff(diff);
      assert.equal(applyHunks(before, hunks), after);
      assert.equal(applyHunks(after, reversed(hunks)), before);
      assert.deepEqual(countLines({ path: "f", kind: "modified", diff }), { additions, deletions });
    }),
    { numRuns: 500 },
  );
});

test("texts that differ in more lines than can be compared quickly get one hunk, which can be applied", () => {
  const made = (word: string): string => Array.from({ length: 5_000 }, (_, at) => `${word} ${at}\n`).join("");
  const [before, after] = [`same\n${made("old")}same\n`, `same\n${made("new")}same\n`];
  const { diff, additions, deletions, cut } = unifiedDiff("f", before, after);
  assert.deepEqual([additions, deletions, cut, diff.match(/^@@ /gm)?.length], [5_000, 5_000, undefined, 1]);
  assert.equal(applyHunks(before, parseDiff(diff)), after);
});

test("800 changed lines are compared one by one, more are one hunk", () => {
  const lines = numbered(3_000);
  const changed = (count: number): string =>
    lines.map((line, at) => (at < count * 3 && at % 3 === 0 ? "other\n" : line)).join("");
  const hunksOf = (after: string): number => unifiedDiff("f", lines.join(""), after).diff.match(/^@@/gm)?.length ?? 0;
  // Each is a line that goes and one that comes.
  assert.match(unifiedDiff("f", lines.join(""), changed(400)).diff, /^ line 2$/m);
  assert.doesNotMatch(unifiedDiff("f", lines.join(""), changed(401)).diff, /^ line 2$/m);
  assert.equal(hunksOf(changed(401)), 1);
});
