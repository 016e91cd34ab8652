import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import { restore } from "../../../src/core/ledger/restore.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "./world.ts";

const world = (...permissions: PermissionRule[]): World =>
  new World({ step, newLedger, restore }).command({ type: "update", facts: { permissions } }).prompt("msg_1");
const rule = (action: string, pattern: string, verdict: PermissionRule["verdict"]): PermissionRule => ({
  action,
  pattern,
  verdict,
});
const bash = (ask: string, command: string): Signal => ({
  type: "intent",
  ask,
  action: "bash",
  command,
  patterns: [command],
});
const read = (ask: string, path: string): Signal => ({ type: "intent", ask, action: "read", patterns: [path] });

/** The answers and verdicts that the agent got, by the key of its ask. */
function told(w: World): Record<string, string> {
  const entries = w.effects.flatMap((effect): [string, string][] => {
    if (effect.type === "decide") return [[effect.ask, effect.verdict]];
    return effect.type === "answer" ? [[effect.ask, effect.answer.outcome]] : [];
  });
  return Object.fromEntries(entries);
}

test("an agent goes on without asking where no rule fits, and no event is said", () => {
  const w = world(rule("bash", "rm *", "deny"), rule("edit", "*", "ask"));
  const before = w.events.length;
  w.signal(bash("a", "cat a.txt")).signal(read("b", "a.txt")).signal({ type: "intent", ask: "c", action: "TodoWrite" });
  assert.deepEqual(told(w), { a: "go", b: "go", c: "go" });
  assert.equal(w.events.length, before);
});

test("a rule denies a call that the agent would not ask about, and the log has it", () => {
  const w = world(rule("bash", "cat .env*", "deny"), rule("read", ".env", "deny"));
  w.signal(bash("a", "cat .env")).signal(bash("b", "ls && cat .env.local")).signal(read("c", ".env"));
  assert.deepEqual(told(w), { a: "reject", b: "reject", c: "reject" });
  assert.deepEqual(
    w.of("permission.resolved").map(({ data }) => [data.action, data.outcome, data.by, data.feedback]),
    [
      ["bash", "reject", "rule", "a rule of this session denies it"],
      ["bash", "reject", "rule", "a rule of this session denies it"],
      ["read", "reject", "rule", "a rule of this session denies it"],
    ],
  );
  assert.equal(w.of("permission.requested").length, 3);
  assert.equal(w.effects.filter(({ type }) => type === "asked").length, 0, "nobody is asked");
  w.settle();
  assert.deepEqual(w.broken(), []);
});

test("a rule with the verdict ask makes the agent ask, and a grant answers that", () => {
  const w = world(rule("bash", "git *", "ask"));
  w.signal(bash("a", "git status"));
  assert.deepEqual(told(w), { a: "ask" });
  assert.equal(w.of("permission.requested").length, 0);
  w.signal({ type: "permission", ask: "a2", action: "bash", command: "git status", patterns: ["git status"] });
  const [asked] = w.of("permission.requested");
  const answer = { kind: "permission", outcome: "always" } as const;
  w.command({ type: "answer", ask: asked?.data.ask ?? "", answer, by: "me" });
  w.signal(bash("b", "git status"));
  assert.equal(told(w).b, "go");
});

test("rules that change during the turn hold for the next call", () => {
  const w = world();
  w.signal(read("a", ".env"));
  w.command({ type: "update", facts: { permissions: [rule("read", "*", "deny")] } });
  w.signal(read("b", ".env"));
  w.command({ type: "update", facts: { permissions: [] } });
  w.signal(read("c", ".env"));
  assert.deepEqual(told(w), { a: "go", b: "reject", c: "go" });
});

test("a call of a turn that is being stopped is refused, without an event", () => {
  const w = world();
  w.command({ type: "cancel", queue: "keep" });
  const before = w.events.length;
  w.signal(read("a", "a.txt"));
  assert.deepEqual([told(w).a, w.events.length], ["reject", before]);
});

test("with no turn open a denied call begins one of the agent's own, and any other begins none", () => {
  const w = world(rule("read", ".env", "deny"));
  w.signal({ type: "turn.finished", reason: "end_turn" });
  const turns = w.of("turn.started").length;
  w.signal(read("a", "a.txt"));
  assert.deepEqual([told(w).a, w.of("turn.started").length], ["go", turns]);
  w.signal(read("b", ".env"));
  assert.deepEqual([told(w).b, w.of("turn.started").length], ["reject", turns + 1]);
  w.signal({ type: "turn.finished", reason: "end_turn" });
  assert.deepEqual(w.broken(), []);
});

test("a prompt for the running turn cannot bring another mode or model", () => {
  const w = world();
  w.signal({ type: "session", mode: "plan", model: "m1" });
  const steer = (id: string, choice: object): World =>
    w.command({ type: "steer", prompt: { id, parts: [{ type: "text", text: "also" }], ...choice } });
  steer("msg_2", { mode: "acceptEdits" });
  steer("msg_3", { model: "m2" });
  assert.deepEqual(
    w.refusals.map(({ code }) => code),
    ["invalid", "invalid"],
  );
  steer("msg_4", { mode: "plan", model: "m1" });
  assert.equal(w.effects.filter(({ type }) => type === "steer").length, 1);
});
