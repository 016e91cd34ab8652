import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  askingRules,
  deniedTools,
  type NativeRule,
  nativeVerdict,
  needsGate,
  rulesIn,
} from "../../../../src/agents/opencode/rulesets.ts";
import type { PermissionRule } from "../../../../src/core/events/values.ts";

const rule = (permission: string, pattern: string, action: NativeRule["action"]): NativeRule => ({
  permission,
  pattern,
  action,
});
const BUILD = [
  rule("*", "*", "allow"),
  rule("doom_loop", "*", "ask"),
  rule("read", "*.env", "ask"),
  rule("bash", "git push *", "deny"),
];

describe("the program's own verdict", () => {
  const cases: [permission: string, patterns: string[], verdict: NativeRule["action"]][] = [
    ["edit", ["a.ts"], "allow"],
    ["read", ["a.ts"], "allow"],
    ["read", ["sub/x.env"], "ask"],
    ["read", ["a.ts", "x.env"], "ask"],
    ["bash", ["ls", "git push -f"], "deny"],
    ["bash", ["git push"], "deny"],
    ["bash", ["git pushed"], "allow"],
    ["doom_loop", ["bash"], "ask"],
    ["bash", [], "allow"],
  ];
  for (const [permission, patterns, verdict] of cases)
    test(`${permission} ${patterns.join(", ")}: ${verdict}`, () =>
      assert.equal(nativeVerdict(BUILD, { permission, patterns }), verdict));

  test("is to ask where no rule fits", () => {
    assert.equal(nativeVerdict([], { permission: "bash", patterns: ["ls"] }), "ask");
    assert.equal(nativeVerdict([rule("edit", "*", "allow")], { permission: "bash", patterns: ["ls"] }), "ask");
  });

  test("is that of the last rule that fits", () => {
    const rules = [rule("bash", "*", "deny"), rule("bash", "ls", "allow")];
    assert.equal(nativeVerdict(rules, { permission: "bash", patterns: ["ls"] }), "allow");
    assert.equal(nativeVerdict(rules.toReversed(), { permission: "bash", patterns: ["ls"] }), "deny");
  });
});

test("rules that are none are passed over", () => {
  const told = [
    rule("a", "b", "ask"),
    { permission: "a", pattern: "b" },
    { ...rule("a", "b", "ask"), action: "x" },
    null,
    1,
  ];
  assert.deepEqual(rulesIn(told), [rule("a", "b", "ask")]);
  for (const none of [undefined, null, {}, "x"]) assert.deepEqual(rulesIn(none), []);
});

test("a program that is to ask for everything allows nothing by itself, keeps what it denies, and starts no sub-agents", () => {
  const asking = askingRules(BUILD);
  assert.ok(asking.every(({ action }) => action !== "allow"));
  for (const permission of ["edit", "bash", "webfetch", "srv_tool"])
    assert.equal(nativeVerdict(asking, { permission, patterns: ["x"] }), "ask", permission);
  assert.equal(nativeVerdict(asking, { permission: "bash", patterns: ["git push -f"] }), "deny");
  assert.equal(nativeVerdict(asking, { permission: "task", patterns: ["general"] }), "deny");
});

describe("tools that the session's rules deny altogether", () => {
  const given = (...rules: [action: string, pattern: string, verdict: PermissionRule["verdict"]][]): PermissionRule[] =>
    rules.map(([action, pattern, verdict]) => ({ action, pattern, verdict }));
  const ASKING = ["question", "plan_enter", "plan_exit"];
  const cases: [rules: PermissionRule[], tools: string[]][] = [
    [[], []],
    [given(["bash", "*", "deny"]), ["bash"]],
    [given(["web*", "*", "deny"]), ["webfetch", "websearch"]],
    [given(["bash", "rm *", "deny"]), []],
    [given(["bash", "*", "ask"]), []],
    [given(["bash", "*", "deny"], ["bash", "git *", "allow"]), []],
    [given(["bash", "git *", "allow"], ["bash", "*", "deny"]), ["bash"]],
    [
      given(["*", "*", "deny"], ["read", "*", "allow"], ["glob", "*", "ask"]),
      ["bash", "edit", "grep", "list", "webfetch", "websearch", "task", "todowrite", "skill", ...ASKING],
    ],
    [given(["plan*", "*", "deny"]), ["plan_enter", "plan_exit"]],
    [given(["srv_tool", "*", "deny"]), ["srv_tool"]],
    [given(["srv_*", "*", "deny"], ["external_directory", "*", "deny"]), []],
  ];
  for (const [rules, tools] of cases)
    test(JSON.stringify(rules), () => {
      const denied = deniedTools(rules);
      assert.deepEqual(
        denied.map(({ permission }) => permission),
        tools,
      );
      for (const { pattern, action } of denied) assert.deepEqual([pattern, action], ["*", "deny"]);
    });
});

describe("rules that only a plugin can hold", () => {
  const deny = (action: string, pattern = "*"): PermissionRule => ({ action, pattern, verdict: "deny" });
  const cases: [rules: PermissionRule[], needed: boolean][] = [
    [[], false],
    [[{ action: "bash", pattern: "*", verdict: "allow" }], false],
    // `opencode run --attach` denies these: the program does not offer them then.
    [[deny("question"), deny("plan_enter"), deny("plan_exit")], false],
    [[deny("bash", "rm *"), deny("bash")], false],
    [[deny("bash"), { action: "bash", pattern: "git *", verdict: "allow" }], true],
    [[deny("bash", "rm *")], true],
    [[deny("*")], true],
    [[deny("external_directory")], true],
    [[{ action: "webfetch", pattern: "*", verdict: "ask" }], true],
    // A redirection is an edit.
    [[deny("edit")], true],
  ];
  for (const [rules, needed] of cases)
    test(JSON.stringify(rules.map(({ action, pattern, verdict }) => `${verdict} ${action} ${pattern}`)), () => {
      assert.equal(needsGate(rules), needed);
    });
});
