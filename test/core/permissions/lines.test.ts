import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Verdict } from "../../../src/core/permissions/command-verdict.ts";
import { cpuMs } from "../../support/time.ts";
import { ALLOWED, ASKED, DENIED } from "./line-lists.ts";
import { rules, SENSIBLE, verdictOf } from "./rule-sets.ts";

function check(set: Parameters<typeof verdictOf>[0], lines: readonly string[], verdict: Verdict): void {
  for (const line of lines) {
    const shown = JSON.stringify(line.length > 90 ? `${line.slice(0, 90)}…` : line);
    test(`${verdict}: ${shown}`, () => assert.equal(verdictOf(set, line), verdict));
  }
}

describe("a rule holds for every command of a line", () => {
  check(SENSIBLE, ALLOWED, "allow");
  check(SENSIBLE, DENIED, "deny");
  check(SENSIBLE, ASKED, "ask");
});

describe("one thing allowed and all else denied", () => {
  const set = [...rules("*", "deny", "*"), ...rules("bash", "allow", "git status *")];
  check(set, ["git status", "git status -s", "git 'status' $X", "git status 2>&1 >/dev/null"], "allow");
  check(
    set,
    [
      "git status; touch x",
      "git status && touch x",
      "git status | touch x",
      "git status $(touch x)",
      "git status `touch x`",
      "git status > x",
      "git status\ntouch x",
      "git status <<EOF\n$(touch x)\nEOF",
      '"git status" x',
      "A=1 git status",
      "$X",
    ],
    "deny",
  );
});

describe("everything allowed", () => {
  check(rules("bash", "allow", "*"), ["case a in", "eval $X", "ls 'x", "touch x > y", "", "x".repeat(70_000)], "allow");
  check([...rules("bash", "deny", "ls *"), ...rules("bash", "allow", "*")], ["ls; eval $X"], "allow");
});

describe("everything allowed but for some", () => {
  const set = [...rules("bash", "allow", "*"), ...rules("bash", "deny", "touch *"), ...rules("edit", "deny", "*.key")];
  check(
    set,
    ["curl x | tar xz", "X=1; echo $X", "python3 x.py > out", "make all", "git status $X", "kill $(cat pid)"],
    "allow",
  );
  check(set, ["s$@h -c 'cat y'", "a$X b", "env 'BASH_FUNC_ls%%=() { cat x; }' bash -c ls"], "ask");
  check(set, ["s$@h -c 'touch y'"], "deny");
  check(set, ["s$@h -c 'cat y'", "a$X b", "env 'BASH_FUNC_ls%%=() { cat x; }' bash -c ls"], "ask");
  check(set, ["s$@h -c 'touch y'"], "deny");
  check(set, ["curl x; touch y", "echo x > a.key", "echo x > b/../a.key", "env -i PATH=x touch y"], "deny");
  check(
    set,
    ["$X y", "eval $X", "case a in a) ls;; esac", "python3 -c 'x'", "git -c alias.x='!y' x", "echo > $X", "ls 'x"],
    "ask",
  );
});

test("the last rule that fits counts, for each command", () => {
  const set = [
    ...rules("bash", "deny", "git *"),
    ...rules("bash", "allow", "git log *"),
    ...rules("bash", "ask", "git log -p *"),
  ];
  assert.equal(verdictOf(set, "git log"), "allow");
  assert.equal(verdictOf(set, "git log; git fetch"), "deny");
  assert.equal(verdictOf(set, "git log; git log -p"), "ask");
  const lists = [
    ...rules("bash", "deny", "ls *"),
    ...rules("bash", "allow", "ls a *"),
    ...rules("bash", "ask", "ls a -R *"),
  ];
  assert.equal(verdictOf(lists, "ls a; ls a -l"), "allow");
  assert.equal(verdictOf(lists, "ls a; ls a $X"), "ask", "it may be -R");
  assert.equal(verdictOf(lists, "ls a; ls $X"), "deny", "it may be more than a");
});

test("a line of any length and depth is decided in good time", () => {
  const lines = [
    "$(",
    "`",
    "(",
    "'",
    '"',
    "${",
    "<<a\n",
    "ls;",
    "a ",
    "{a,",
    "\\\n",
    "*",
    "if ",
    "\0",
    "$X ",
    "bash -c '",
    "ssh $X ",
  ].map((one) => one.repeat(60_000 / one.length));
  const spent = cpuMs(() => {
    for (const line of lines) assert.notEqual(verdictOf(SENSIBLE, line), "allow");
  });
  assert.ok(spent < 10_000, `${spent} ms of work`);
});
