import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unifiedDiff } from "../../../src/core/diff/unified-diff.ts";

/** Applies a diff of one hunk, as `patch` does. */
function apply(before: string, diff: string): string {
  const lines = diff.split("\n").slice(0, -1);
  const head = lines.findIndex((line) => line.startsWith("@@"));
  if (head < 0) return before;
  const [, from = "0", count = "1"] = /^@@ -(\d+)(?:,(\d+))? /.exec(lines[head] ?? "") ?? [];
  const start = count === "0" ? Number(from) : Number(from) - 1;
  const old = before.split(/(?<=\n)/);
  const made: string[] = [];
  for (const line of lines.slice(head + 1)) {
    if (line.startsWith("\\")) made.push((made.pop() ?? "").replace(/\n$/, ""));
    else made.push(`${line}\n`);
  }
  // The mark of a missing line feed belongs to the line before it.
  const removed = made.filter((line) => line.startsWith("-") || line.startsWith(" ")).map((line) => line.slice(1));
  const added = made.filter((line) => line.startsWith("+") || line.startsWith(" ")).map((line) => line.slice(1));
  assert.deepEqual(old.slice(start, start + removed.length).join(""), removed.join(""), diff);
  return [...old.slice(0, start), ...added, ...old.slice(start + removed.length)].join("");
}

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

const someText = fc
  .array(fc.constantFrom("a", "b", "", "c d"), { maxLength: 8 })
  .chain((lines) => fc.boolean().map((ended) => lines.join("\n") + (ended && lines.length > 0 ? "\n" : "")));

test("a diff that is applied gives what was written", () => {
  fc.assert(
    fc.property(someText, someText, (before, after) =>
      assert.equal(apply(before, unifiedDiff("f", before, after).diff), after),
    ),
  );
});
