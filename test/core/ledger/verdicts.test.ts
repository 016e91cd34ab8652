import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import { matches, verdictOn } from "../../../src/core/ledger/verdicts.ts";

for (const [glob, text, fits] of [
  ["*", "", true],
  ["*", "anything\nat all", true],
  ["git status", "git status", true],
  ["git status", "git status -s", false],
  ["git *", "git push", true],
  ["git *", "git", true],
  ["git *", "gitk", false],
  ["git*", "gitk", true],
  ["?s", "ls", true],
  ["?s", "s", false],
  ["a*b*c", "a1b2b3c", true],
  ["a*b*c", "a1b2b3", false],
  ["src/*.ts", "src/a/b.ts", true],
  ["rm [a-z]", "rm x", false],
  ["", "", true],
  ["", "x", false],
] as const) {
  test(`${JSON.stringify(glob)} ${fits ? "fits" : "does not fit"} ${JSON.stringify(text)}`, () => {
    assert.equal(matches(glob, text), fits);
  });
}

test("a pattern of many stars is decided in good time", () => {
  const began = performance.now();
  assert.equal(matches("*a".repeat(200), "a".repeat(20_000)), true);
  assert.equal(matches(`${"*a".repeat(200)}b`, "a".repeat(20_000)), false);
  assert.ok(performance.now() - began < 2_000);
});

test("the last rule that fits counts; one denial denies, and all must be allowed", () => {
  const rules: PermissionRule[] = [
    { action: "*", pattern: "*", verdict: "ask" },
    { action: "bash", pattern: "*", verdict: "allow" },
    { action: "bash", pattern: "rm *", verdict: "deny" },
    { action: "bash", pattern: "rm -i *", verdict: "allow" },
    { action: "edit", pattern: "docs/*", verdict: "allow" },
  ];
  assert.equal(verdictOn(rules, "bash", ["ls"]), "allow");
  assert.equal(verdictOn(rules, "bash", ["rm x"]), "deny");
  assert.equal(verdictOn(rules, "bash", ["rm -i x"]), "allow");
  assert.equal(verdictOn(rules, "bash", ["ls", "rm x"]), "deny");
  assert.equal(verdictOn(rules, "edit", ["docs/a.md"]), "allow");
  assert.equal(verdictOn(rules, "edit", ["docs/a.md", "src/a.ts"]), "ask");
  assert.equal(verdictOn(rules, "bash", []), "allow");
  assert.equal(verdictOn([], "bash", ["ls"]), "ask");
});
