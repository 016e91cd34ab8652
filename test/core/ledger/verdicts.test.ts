import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import { decide, verdictOn } from "../../../src/core/ledger/verdicts.ts";
import { matches, mightMatch } from "../../../src/core/permissions/glob.ts";
import { cpuMs } from "../../support/time.ts";

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
  const spent = cpuMs(() => {
    assert.equal(matches("*a".repeat(200), "a".repeat(20_000)), true);
    assert.equal(matches(`${"*a".repeat(200)}b`, "a".repeat(20_000)), false);
  });
  assert.ok(spent < 2_000, `${spent} ms of work`);
});

for (const [glob, text, certain, possible] of [
  ["git *", "git \0", true, true],
  ["git status", "git \0", false, true],
  ["git status *", "git \0", false, true],
  ["g?t", "g\0", false, true],
  ["g?t", "h\0", false, false],
  ["touch *", "\0 x", false, true],
  ["touch *", "t\0 x", false, true],
  ["touch *", "r\0 x", false, false],
  ["*", "\0", true, true],
  ["rm 😀*", "rm 😀\0", true, true],
  ["rm 😀.txt", "rm 😀\0", false, true],
] as const) {
  test(`${JSON.stringify(glob)} fits ${JSON.stringify(text)} ${certain ? "for certain" : possible ? "perhaps" : "never"}`, () => {
    assert.deepEqual([matches(glob, text), mightMatch(glob, text)], [certain, possible]);
  });
}

test("the last rule that fits counts; one denial denies, and all must be allowed", () => {
  const rules: PermissionRule[] = [
    { action: "*", pattern: "*", verdict: "ask" },
    { action: "web", pattern: "*", verdict: "allow" },
    { action: "web", pattern: "a *", verdict: "deny" },
    { action: "web", pattern: "a -i *", verdict: "allow" },
    { action: "tool", pattern: "docs/*", verdict: "allow" },
  ];
  assert.equal(verdictOn(rules, "web", ["b"]), "allow");
  assert.equal(verdictOn(rules, "web", ["a x"]), "deny");
  assert.equal(verdictOn(rules, "web", ["a -i x"]), "allow");
  assert.equal(verdictOn(rules, "web", ["b", "a x"]), "deny");
  assert.equal(verdictOn(rules, "tool", ["docs/a.md"]), "allow");
  assert.equal(verdictOn(rules, "tool", ["docs/a.md", "src/a.ts"]), "ask");
  assert.equal(verdictOn(rules, "web", []), "allow");
  assert.equal(verdictOn([], "web", ["b"]), "ask");
});

test("a rule for a file holds however the file is written", () => {
  const permissions: PermissionRule[] = [
    { action: "edit", pattern: "*", verdict: "allow" },
    { action: "edit", pattern: ".env", verdict: "deny" },
    { action: "edit", pattern: "./keys/*", verdict: "deny" },
    { action: "edit", pattern: "/etc/*", verdict: "deny" },
    { action: "edit", pattern: "a*b.txt", verdict: "ask" },
    { action: "edit", pattern: "100%.txt", verdict: "deny" },
  ];
  const verdict = (...patterns: string[]): string =>
    decide({ permissions, granted: [], directory: "/project" }, { action: "edit", patterns });
  for (const path of [
    ".env",
    "./.env",
    "sub/../.env",
    "/project/.env",
    "/project/./x//../.env",
    "keys/a",
    "/project/keys/a",
  ])
    assert.equal(verdict(path), "deny", path);
  for (const path of ["/etc/passwd", "../etc/passwd", "100%25.txt"]) assert.equal(verdict(path), "deny", path);
  for (const path of ["sub/.env", ".envrc", "keys", "/projects/.env"]) assert.equal(verdict(path), "allow", path);
  assert.equal(verdict("a%2Ab.txt"), "ask");
  assert.equal(verdict("a.txt", ".env"), "deny");
});

test("a permission without its command is held against the rules by its patterns, if it is for bash", () => {
  const permissions: PermissionRule[] = [
    { action: "bash", pattern: "ls *", verdict: "allow" },
    { action: "shell", pattern: "ls *", verdict: "allow" },
  ];
  const deciders = { permissions, granted: [], directory: "/project" };
  assert.equal(decide(deciders, { action: "bash", patterns: ["ls a"] }), "allow");
  assert.equal(decide(deciders, { action: "bash", patterns: ["ls a; touch b"] }), "ask");
  assert.equal(decide(deciders, { action: "bash", patterns: ["ls a", "touch b"] }), "ask");
  assert.equal(decide(deciders, { action: "shell", patterns: ["ls *"], command: "ls; touch b" }), "ask");
  assert.equal(decide(deciders, { action: "bash", patterns: ["ls *"], command: "touch b" }), "ask");
});

test("a change of files that it does not name is asked about where a rule holds some of them", () => {
  const all: PermissionRule = { action: "edit", pattern: "*", verdict: "allow" };
  const held: PermissionRule = { action: "edit", pattern: ".env", verdict: "deny" };
  const asked: PermissionRule = { action: "*", pattern: "*", verdict: "ask" };
  const verdict = (permissions: PermissionRule[], action = "edit") =>
    decide({ permissions, granted: [], directory: "/p" }, { action, patterns: [] });
  assert.equal(verdict([all, held]), "ask");
  assert.equal(verdict([held, all]), "allow", "the last that fits counts");
  assert.equal(verdict([asked, all]), "allow");
  assert.equal(verdict([all]), "allow");
  assert.equal(verdict([{ ...all, verdict: "deny" }, held]), "deny");
  assert.equal(
    verdict(
      [
        { ...all, action: "read" },
        { ...held, action: "read" },
      ],
      "read",
    ),
    "allow",
  );
});
