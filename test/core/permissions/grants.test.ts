import assert from "node:assert/strict";
import { test } from "node:test";
import { allows, covers } from "../../../src/core/ledger/rules.ts";

for (const [rule, pattern, covered] of [
  ["git status", "git status", true],
  ["git status", "git status -s", false],
  ["git *", "git push --force", true],
  ["git *", "gitk", false],
  ["*", "anything at all", true],
  ["src/*.ts", "src/a/b.ts", true],
  ["src/*.ts", "src/a.tsx", false],
  ["a*b*c", "a1b2c", true],
  ["a*b*c", "ac", false],
  ["ab*ba", "aba", false],
  ["rm [a-z]", "rm x", false],
] as const) {
  test(`${rule} ${covered ? "covers" : "does not cover"} ${pattern}`, () => {
    assert.equal(covers(rule, pattern), covered);
  });
}

test("a rule is for its action only, and every pattern of a request must be covered", () => {
  const rules = [
    { action: "edit", patterns: ["a.txt"] },
    { action: "edit", patterns: ["b.txt"] },
    { action: "bash", patterns: [] },
  ];
  const asks = (action: string, patterns: string[]): boolean => allows(rules, { kind: "permission", action, patterns });
  assert.equal(asks("edit", ["a.txt", "b.txt"]), true);
  assert.equal(asks("edit", ["a.txt", "c.txt"]), false);
  assert.equal(asks("edit", []), false);
  assert.equal(asks("bash", ["ls"]), false);
  assert.equal(asks("bash", []), true);
  assert.equal(allows(rules, { kind: "question" }), false);
});
