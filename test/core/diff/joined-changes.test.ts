import assert from "node:assert/strict";
import { test } from "node:test";
import { type FileDiff, JoinedChanges } from "../../../src/core/diff/joined-changes.ts";
import { unifiedDiff } from "../../../src/core/diff/unified-diff.ts";
import type { FileChange } from "../../../src/core/events/values.ts";
import { cpuMs } from "../../support/time.ts";

const changed = (path: string, before: string | undefined, after: string): FileChange => ({
  path,
  kind: before === undefined ? "added" : "modified",
  diff: unifiedDiff(path, before, after).diff,
});
const deleted = (path: string, before: string): FileChange => ({
  path,
  kind: "deleted",
  diff: unifiedDiff(path, before, "").diff,
});
const renamed = (from: string, path: string): FileChange => ({ path, kind: "renamed", from });

function joined(...changes: FileChange[]): FileDiff[] {
  const all = new JoinedChanges();
  for (const change of changes) all.add([change]);
  return all.list();
}

/** The short form of an entry: its kind, its paths and its lines that differ. */
function short({ kind, path, from, additions, deletions, diff }: FileDiff): string {
  const lines = diff?.split("\n").filter((line) => /^[-+](?![-+]{2} )/.test(line)) ?? ["?"];
  return `${kind} ${from === undefined ? "" : `${from} > `}${path} +${additions} -${deletions} ${lines.join(" ")}`.trim();
}

const TABLE: [name: string, changes: FileChange[], expected: string[]][] = [
  ["edits", [changed("f", "a\n", "b\n"), changed("f", "b\n", "c\n")], ["modified f +1 -1 -a +c"]],
  ["an edit that is taken back", [changed("f", "a\n", "b\n"), changed("f", "b\n", "a\n")], ["modified f +0 -0"]],
  ["a new file that is edited", [changed("f", undefined, "a\n"), changed("f", "a\n", "b\n")], ["added f +1 -0 +b"]],
  ["a new file that is deleted", [changed("f", undefined, "a\n"), deleted("f", "a\n")], []],
  [
    "a file that is deleted and made again",
    [deleted("f", "a\n"), changed("f", undefined, "b\n")],
    ["modified f +1 -1 -a +b"],
  ],
  ["an edit and a deletion", [changed("f", "a\n", "b\n"), deleted("f", "b\n")], ["deleted f +0 -1 -a"]],
  ["an edit and a new name", [changed("f", "a\n", "b\n"), renamed("f", "g")], ["renamed f > g +1 -1 -a +b"]],
  ["a new name and an edit", [renamed("f", "g"), changed("g", "a\n", "b\n")], ["renamed f > g +1 -1 -a +b"]],
  ["two new names", [renamed("f", "g"), renamed("g", "h")], ["renamed f > h +0 -0 ?"]],
  ["a name and back", [renamed("f", "g"), renamed("g", "f")], ["modified f +0 -0 ?"]],
  ["a new file with a new name", [changed("f", undefined, "a\n"), renamed("f", "g")], ["added g +1 -0 +a"]],
  ["a new name and a deletion", [renamed("f", "g"), deleted("g", "a\n")], ["deleted f +0 -1 -a"]],
  [
    "a name that is used again",
    [renamed("f", "g"), changed("f", undefined, "x\n"), changed("f", "x\n", "y\n")],
    ["renamed f > g +0 -0 ?", "added f +1 -0 +y"],
  ],
  [
    "other files between",
    [changed("f", "a\n", "b\n"), changed("g", "a\n", "b\n"), changed("f", "b\n", "c\n")],
    ["modified f +1 -1 -a +c", "modified g +1 -1 -a +b"],
  ],
  [
    "changes without diffs",
    [
      { path: "f", kind: "modified", additions: 1, deletions: 2 },
      { path: "f", kind: "modified", additions: 3, deletions: 4 },
    ],
    ["modified f +4 -6 ?"],
  ],
  [
    "one of which only one has a diff",
    [changed("f", "a\n", "b\n"), { path: "f", kind: "modified" }, changed("f", "b\n", "c\n")],
    ["modified f +1 -1 -a +b", "modified f +0 -0 ?", "modified f +1 -1 -b +c"],
  ],
  [
    "diffs that do not fit together",
    [changed("f", "a\n", "b\n"), changed("f", "x\n", "y\n"), changed("f", "y\n", "z\n")],
    ["modified f +1 -1 -a +b", "modified f +1 -1 -x +z"],
  ],
];

for (const [name, changes, expected] of TABLE) {
  test(`changes of files together: ${name}`, () => {
    assert.deepEqual(joined(...changes).map(short), expected);
  });
}

test("a diff that is cut stays by itself", () => {
  const cut = { ...changed("f", "a\n", "b\n"), cut: { characters: 9 } };
  assert.deepEqual(
    joined(cut, changed("f", "b\n", "c\n")).map((one) => one.cut),
    [{ characters: 9 }, undefined],
  );
});

test("diffs beyond eight million characters are left out, and it is said", () => {
  const long = (path: string): FileChange => changed(path, undefined, `${"x".repeat(500_000)}\n`);
  const all = joined(...Array.from({ length: 20 }, (_, n) => long(`f${n}`)));
  const kept = all.filter(({ diff }) => diff !== undefined);
  assert.equal(kept.length, 16);
  assert.ok(all.slice(16).every(({ cut, additions }) => (cut?.characters ?? 0) > 500_000 && additions === 1));
});

test("a thousand edits of one file cost little more each than a hundred do", () => {
  const lines = Array.from({ length: 400 }, (_, n) => `${n}`);
  const edits = Array.from({ length: 1_000 }, (_, n) => {
    const before = `${lines.join("\n")}\n`;
    lines[(n * 37) % 400] = `edit ${n}`;
    return changed("f", before, `${lines.join("\n")}\n`);
  });
  let all: FileDiff[] = [];
  const ms = cpuMs(() => {
    all = joined(...edits);
  });
  assert.deepEqual(
    all.map(({ additions, deletions }) => [additions, deletions]),
    [[400, 400]],
  );
  // One after the other they take half a minute.
  assert.ok(ms < 5_000, `expected it within 5 s of work, it took ${Math.round(ms)} ms`);
});

test("edits that wait are settled before their file is renamed, deleted or made again", () => {
  const edit = (from: string, to: string): FileChange => changed("f", `${from}\n`, `${to}\n`);
  const three = [edit("a", "b"), edit("b", "c"), edit("c", "d")];
  assert.deepEqual(joined(...three, renamed("f", "g")).map(short), ["renamed f > g +1 -1 -a +d"]);
  assert.deepEqual(joined(...three, deleted("f", "d\n")).map(short), ["deleted f +0 -1 -a"]);
  const again = [deleted("f", "d\n"), changed("f", undefined, "e\n"), edit("e", "h")];
  assert.deepEqual(joined(...three, ...again).map(short), ["modified f +1 -1 -a +h"]);
});

test("edits that do not fit together stand one after the other, the others are one", () => {
  const [one, two, odd, three] = [
    ["a", "b"],
    ["b", "c"],
    ["x", "y"],
    ["y", "z"],
  ].map(([from, to]) => changed("f", `${from}\n`, `${to}\n`));
  assert.ok(one && two && odd && three);
  assert.deepEqual(joined(one, two, odd, three).map(short), ["modified f +1 -1 -a +c", "modified f +1 -1 -x +z"]);
});

test("a hundred edits of one file are one entry", () => {
  const lines = Array.from({ length: 400 }, (_, n) => `${n}`);
  const all = new JoinedChanges();
  for (let n = 0; n < 100; n++) {
    const before = `${lines.join("\n")}\n`;
    lines[(n * 37) % 400] = `edit ${n}`;
    all.add([changed("f", before, `${lines.join("\n")}\n`)]);
  }
  assert.deepEqual(
    all.list().map(({ additions, deletions }) => [additions, deletions]),
    [[100, 100]],
  );
});
