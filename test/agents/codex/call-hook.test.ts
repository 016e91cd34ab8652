import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { callIn, hasFailed, hookConfig, isInForce, verdictText } from "../../../src/agents/codex/calls/hook.ts";
import { fieldsIn, listIn, textIn } from "../../../src/core/json/fields.ts";
import { hookCommand, hookInput } from "./hook-run.ts";

const KEY = "/<session-flags>/config.toml:pre_tool_use:0:0";

function listed(change: object): { data: object[] } {
  const { trusted_hash: currentHash } = fieldsIn(fieldsIn(hookConfig(false), "hooks.state"), KEY);
  const hook = { key: KEY, source: "sessionFlags", command: hookCommand(), enabled: true, trustStatus: "trusted" };
  return {
    data: [
      {
        hooks: [
          { key: "other", source: "user" },
          { ...hook, currentHash, ...change },
        ],
      },
    ],
  };
}

test("the hook is in force only where it is ours, enabled and trusted", () => {
  assert.ok(isInForce(listed({})));
  const changes = [
    { enabled: false },
    { trustStatus: "untrusted" },
    { command: "true" },
    { source: "user" },
    { key: "x" },
  ];
  for (const change of changes) assert.ok(!isInForce(listed(change)), JSON.stringify(change));
  for (const odd of [{}, { data: [] }, { data: [{ hooks: "none" }] }]) assert.ok(!isInForce(odd));
});

test("the hook's command holds nothing that one shell reads otherwise than another", () => {
  const script = /^exec sh -c '([^']*)'$/.exec(hookCommand())?.[1];
  assert.ok(script);
  assert.doesNotMatch(script, /[\\\n!`]/);
});

test("a failed run of our hook is told from other runs", () => {
  const run = { eventName: "preToolUse", source: "sessionFlags", status: "failed" };
  assert.ok(hasFailed(run));
  for (const change of [{ status: "blocked" }, { status: "completed" }, { source: "user" }, { eventName: "stop" }])
    assert.ok(!hasFailed({ ...run, ...change }));
});

test("a call is read with its sub-agent, and an odd text is none", () => {
  assert.deepEqual(callIn(hookInput({ command: "ls" }, { agent_id: "child" })), {
    thread: "thread",
    child: "child",
    call: "call_1",
    tool: "Bash",
    input: { command: "ls" },
    directory: "/project",
  });
  assert.equal(callIn(hookInput({ command: "ls" }))?.child, undefined);
  assert.equal(callIn('{"session_id":"x"}'), undefined);
  fc.assert(fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (text) => callIn(text) === undefined));
});

test("a refusal always has words, and a pass says nothing", () => {
  assert.equal(verdictText(undefined), "");
  const words = (refusal: string): string | undefined =>
    textIn(fieldsIn(JSON.parse(verdictText(refusal)), "hookSpecificOutput"), "permissionDecisionReason");
  assert.equal(words("no rm"), "no rm");
  assert.equal(words("  "), "a rule of this session denies it");
});

test("the settings of the hook are one group with one command", () => {
  const [group] = listIn(hookConfig(false), "hooks.PreToolUse");
  assert.equal(listIn(group ?? {}, "hooks").length, 1);
  assert.equal(hookConfig(false)["features.hooks"], true);
});
