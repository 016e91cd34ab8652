import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedFiles, cutDiff, MAX_DIFF } from "../../../src/core/diff/bounded-diff.ts";
import { parseDiff } from "../../../src/core/diff/patch.ts";
import { unifiedDiff } from "../../../src/core/diff/unified-diff.ts";

const HEAD = "--- a/f\n+++ b/f\n";

/** The lines that the head of each hunk promises are there. */
function assertCounts(diff: string): void {
  const heads = [...diff.matchAll(/^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@$/gm)];
  const hunks = parseDiff(diff);
  assert.equal(hunks.length, heads.length);
  for (const [at, hunk] of hunks.entries()) {
    assert.equal(hunk.before.length, Number(heads[at]?.[1] ?? 1), diff.slice(0, 200));
    assert.equal(hunk.after.length, Number(heads[at]?.[2] ?? 1), diff.slice(0, 200));
  }
}

test("a diff that fits stays as it is", () => {
  const { diff } = unifiedDiff("f", "a\nb\n", "a\nc\n");
  assert.deepEqual(cutDiff(diff, diff.length), { diff });
});

test("a diff that does not fit keeps whole lines, stays a diff and says how much is missing", () => {
  const diff = `${HEAD}@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -9,3 +9,4 @@\n d\n-e\n+one\n+two\n f\n`;
  for (let limit = 0; limit < diff.length; limit++) {
    const cut = cutDiff(diff, limit);
    assertCounts(cut.diff);
    assert.ok(diff.startsWith(cut.diff.split("\n").slice(0, 2).join("\n")) || limit < 16);
    assert.match(cut.diff, new RegExp(`\\n? \\(… ${cut.cut?.characters} characters of this diff left out …\\)\\n$`));
  }
  assert.equal(
    cutDiff(diff, diff.length - 8).diff,
    `${HEAD}@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -9,3 +9,3 @@\n d\n-e\n+one\n (… 8 characters of this diff left out …)\n`,
  );
});

test("a diff that was cut on its way is known as cut, also when it is short", () => {
  const { diff, cut } = cutDiff(`${HEAD}@@ -0,0 +1,900 @@\n+a\n+b\n(… 4711 bytes left out …)`, MAX_DIFF);
  assert.equal(cut?.characters, 4711 + "+b".length);
  assertCounts(diff);
});

test("all diffs of a turn together are bounded, and lines are counted before they are cut", () => {
  const change = {
    path: "f",
    kind: "modified" as const,
    diff: `${HEAD}@@ -0,0 +1,90000 @@\n${"+line\n".repeat(90_000)}`,
  };
  const { files, used } = boundedFiles(Array(10).fill(change), 0);
  assert.ok(used < 2.2 * 1024 * 1024 && files.every(({ diff = "" }) => diff.length <= MAX_DIFF + 100));
  assert.ok(files.every(({ cut, additions, deletions }) => cut && additions === 90_000 && deletions === 0));
});

function numbered(count: number, word: string): string {
  return Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");
}

test("two files that differ in megabytes are told apart quickly, by a cut diff with true counts", () => {
  const many = (line: string): string => line.repeat(5_000_000 / line.length);
  for (const [before, after] of [
    [many("a\n"), many("b\n")],
    [many("\n"), many("x")],
    [many("x"), many("y")],
    [many("same\n"), `${many("same\n")}more\n`],
    ["", many("\n")],
    [numbered(50_000, "a"), numbered(50_000, "b")],
    // Lines that are told apart by their last letter only.
    [numbered(600, "a".repeat(8_000)), numbered(600, `${"a".repeat(8_000)}b`)],
  ] as const) {
    const begun = process.threadCpuUsage();
    const { diff, cut, additions, deletions } = unifiedDiff("f", before, after);
    const { user, system } = process.threadCpuUsage(begun);
    // A comparison of every line with every other takes minutes.
    assert.ok(user + system < 2_000_000, `${(user + system) / 1_000} ms`);
    assert.ok(diff.length < MAX_DIFF * 2);
    assertCounts(diff);
    if (after.endsWith("more\n")) assert.deepEqual([additions, deletions, cut], [1, 0, undefined]);
    else if (before.length > 4_000_000) assert.ok(cut && cut.characters > 4_000_000);
  }
});
