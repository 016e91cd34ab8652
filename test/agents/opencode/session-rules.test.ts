import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api } from "../../../src/agents/opencode/api.ts";
import { type NativeRule, nativeVerdict } from "../../../src/agents/opencode/rulesets.ts";
import { SessionRules } from "../../../src/agents/opencode/session-rules.ts";
import type { PermissionRule } from "../../../src/core/events/values.ts";

const ALL: NativeRule = { permission: "*", pattern: "*", action: "allow" };
const AGENTS: Record<string, NativeRule[]> = {
  build: [ALL, { permission: "external_directory", pattern: "*", action: "ask" }],
  plan: [ALL, { permission: "edit", pattern: "*", action: "deny" }],
};

/** A session of a program that adds rules to those that it has. */
function session(isGated: boolean) {
  const stored: NativeRule[] = [];
  const rules: PermissionRule[] = [];
  const list = async () => Object.entries(AGENTS).map(([name, permission]) => ({ name, permission }));
  const ask = async (_method: string, _path: string, { body }: { body: { permission: NativeRule[] } }) =>
    void stored.push(...body.permission);
  const api = { list, ask } as unknown as Api;
  const given = new SessionRules({ api, id: "ses_1", isGated, rules: () => rules });
  const verdict = (agent: string, permission: string, pattern = "x"): string =>
    nativeVerdict([...(AGENTS[agent] ?? []), ...stored], { permission, patterns: [pattern] });
  return { given, rules, stored, verdict };
}

test("a tool that is denied altogether is denied to the program, and nothing else changes for any agent", async () => {
  const { given, rules, verdict, stored } = session(true);
  rules.push({ action: "webfetch", pattern: "*", verdict: "deny" });
  await given.give("build");
  assert.deepEqual(stored, [{ permission: "webfetch", pattern: "*", action: "deny" }]);
  assert.deepEqual([verdict("build", "webfetch"), verdict("plan", "webfetch")], ["deny", "deny"]);
  assert.deepEqual([verdict("build", "edit"), verdict("plan", "edit")], ["allow", "deny"]);
  rules.pop();
  await given.give("build");
  assert.deepEqual([verdict("build", "webfetch"), verdict("plan", "edit")], ["allow", "deny"]);
});

test("a rule about directories outside makes the program ask for them, and what it allowed is an intent", async () => {
  const { given, rules, verdict } = session(true);
  const request = { permission: "external_directory", patterns: ["/etc/*"] };
  rules.push({ action: "external_directory", pattern: "*", verdict: "deny" });
  await given.give("plan");
  assert.equal(verdict("plan", "external_directory"), "ask");
  assert.equal(given.isIntent(request), true);
  await given.give("build");
  assert.equal(given.isIntent(request), false);
  rules.pop();
  await given.give("plan");
  assert.equal(verdict("plan", "external_directory"), "allow");
});

test("a program that does not ask Parley is told to ask for everything that the agent at work may do", async () => {
  const { given, rules, verdict } = session(false);
  rules.push({ action: "bash", pattern: "rm *", verdict: "deny" });
  await given.give("plan");
  assert.deepEqual(
    [verdict("plan", "bash"), verdict("plan", "edit"), verdict("plan", "task")],
    ["ask", "deny", "deny"],
  );
  rules.pop();
  await given.give("plan");
  assert.deepEqual([verdict("plan", "bash"), verdict("plan", "edit")], ["allow", "deny"]);
});

test("without rules nothing is sent", async () => {
  for (const isGated of [true, false]) {
    const { given, stored } = session(isGated);
    await given.give(undefined);
    assert.deepEqual(stored, []);
  }
});
