import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionRule } from "../../../src/core/events/values.ts";
import { restore } from "../../../src/core/ledger/restore.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "./world.ts";

const world = (): World => new World({ step, newLedger, restore });
const rule = (action: string, pattern: string, verdict: PermissionRule["verdict"]): PermissionRule => ({
  action,
  pattern,
  verdict,
});
const bash = (ask: string, command: string): Signal => ({
  type: "permission",
  ask,
  action: "bash",
  patterns: [command],
});
const which: Signal = { type: "question", ask: "q", questions: [{ question: "Which?", options: [] }] };

function resolutions(w: World): string[] {
  return [...w.of("permission.resolved"), ...w.of("question.resolved")].map(
    (event) => `${event.data.outcome} by ${event.data.by}`,
  );
}

test("B5: a rule of the session denies or allows at once, without anybody being asked", () => {
  const w = world();
  const permissions = [rule("bash", "*", "allow"), rule("bash", "rm *", "deny"), rule("question", "*", "deny")];
  w.command({ type: "update", facts: { permissions } }).prompt("msg_1");
  w.signal(bash("a", "ls")).signal(bash("b", "rm x")).signal(which);
  w.signal({ type: "permission", ask: "c", action: "edit", patterns: ["a.txt"] });
  assert.deepEqual(resolutions(w), ["once by rule", "reject by rule", "rejected by rule"]);
  const answers = w.effects.flatMap((effect) => (effect.type === "answer" ? [effect.answer.outcome] : []));
  assert.deepEqual(answers, ["once", "reject", "rejected"]);
  assert.equal(w.effects.filter((effect) => effect.type === "asked").length, 1, "only what no rule fits is asked");
  assert.deepEqual(w.session?.permissions, permissions);
  w.settle();
  assert.deepEqual(w.broken(), []);
});

test("an ask that this step resolves says so, is followed by its resolution and is never open; another one is open and says nothing", () => {
  const w = world();
  const permissions = [rule("bash", "*", "allow"), rule("bash", "rm *", "deny"), rule("question", "*", "deny")];
  w.command({ type: "update", facts: { permissions } }).prompt("msg_1");
  w.signal(bash("a", "ls")).signal(bash("b", "rm x")).signal(which);
  w.signal({ type: "permission", ask: "c", action: "edit", patterns: ["a.txt"] });
  assert.deepEqual(
    w.session?.asks.map(({ id }) => id),
    [w.of("permission.requested").at(-1)?.data.ask],
  );
  w.command({ type: "cancel", queue: "keep" }).signal(bash("d", "make"));
  const settled = w.events.flatMap((event, at) => {
    if (event.type !== "permission.requested" && event.type !== "question.requested") return [];
    const next = w.events[at + 1];
    const resolves =
      (next?.type === "permission.resolved" || next?.type === "question.resolved") && next.data.ask === event.data.ask;
    return [[event.data.settledBy, resolves ? next.data.by : undefined]];
  });
  const byRule = ["rule", "rule"];
  assert.deepEqual(settled, [byRule, byRule, byRule, [undefined, undefined], ["turn", "turn"]]);
  w.settle();
  assert.deepEqual(w.broken(), []);
});

test("changed rules settle open asks, and a denial beats a grant before it", () => {
  const w = world().prompt("msg_1");
  w.signal(bash("a", "ls"));
  const [asked] = w.of("permission.requested");
  const answer = { kind: "permission", outcome: "always" } as const;
  w.command({ type: "answer", ask: asked?.data.ask ?? "", answer, by: "me" });
  w.signal(bash("b", "ls")).signal(bash("c", "make")).signal(which);
  assert.equal(w.state.turn?.status.status, "requires_action");
  w.command({ type: "update", facts: { permissions: [rule("*", "*", "deny")] } });
  assert.deepEqual(resolutions(w), ["always by me", "once by rule", "reject by rule", "rejected by rule"]);
  assert.equal(w.state.turn?.status.status, "running");
  w.signal(bash("d", "ls"));
  assert.equal(resolutions(w)[3], "reject by rule");
  w.settle();
  assert.deepEqual(w.broken(), []);
});

test("rules outlive a crash", () => {
  const permissions = [rule("bash", "*", "deny")];
  const w = world().command({ type: "update", facts: { permissions } }).crashAfter(99).prompt("msg_1");
  w.signal(bash("a", "ls"));
  assert.deepEqual(resolutions(w), ["reject by rule"]);
});

test("an always for a command is offered by the ledger where the agent names none, and is for its commands after a crash, too", () => {
  const asks = (ask: string, command: string): Signal => ({ type: "permission", ask, action: "shell", command });
  const w = world().prompt("msg_1").signal(asks("a", "git status && ls"));
  const [asked] = w.of("permission.requested");
  assert.deepEqual(asked?.data.patterns, ["git status *", "ls *"]);
  const answer = { kind: "permission", outcome: "always" } as const;
  w.command({ type: "answer", ask: asked?.data.ask ?? "", answer, by: "me" });
  const later = w.crashAfter(99).prompt("msg_2");
  later.signal(asks("b", "ls src; git status -s")).signal(asks("c", "ls; touch x"));
  assert.deepEqual(resolutions(later), ["always by me", "once by rule"]);
});

test("a rule that answers always, because nothing less is offered, grants nothing after a crash", () => {
  const permissions = [rule("bash", "git status -s", "allow")];
  const w = world().command({ type: "update", facts: { permissions } }).prompt("msg_1");
  const options = [{ id: "1", kind: "always" } as const];
  const asks = (ask: string, command: string): Signal => ({
    type: "permission",
    ask,
    action: "bash",
    command,
    options,
  });
  w.signal(asks("a", "git status -s"));
  assert.deepEqual(resolutions(w), ["always by rule"]);
  const later = w.crashAfter(99).prompt("msg_2").signal(asks("b", "git status --long"));
  assert.deepEqual(resolutions(later), ["always by rule"]);
  assert.deepEqual(later.session?.rules, []);
});

test("context begins no turn: the next prompt brings it along, and a cancel leaves it", () => {
  const w = world();
  w.prompt("msg_1", { delivery: "context" }).prompt("msg_2", { delivery: "context" });
  assert.equal(w.state.turn, null);
  w.command({ type: "cancel", queue: "clear" });
  assert.deepEqual(
    w.session?.queue.map(({ id }) => id),
    ["msg_1", "msg_2"],
  );
  w.prompt("msg_3");
  const [started] = w.of("turn.started");
  assert.deepEqual(
    started?.data.context?.map(({ id }) => id),
    ["msg_1", "msg_2"],
  );
  assert.deepEqual(w.session?.queue, []);
  const said = w.of("item.completed").map(({ data }) => data.item.id);
  assert.deepEqual(said, ["msg_1", "msg_2", "msg_3"]);
  const delivered = w.effects.find((effect) => effect.type === "deliver");
  const texts = delivered?.prompt.parts.map((part) => (part.type === "text" ? part.text : ""));
  assert.deepEqual(texts, ["do msg_1", "do msg_2", "do msg_3"]);
  w.settle();
  assert.deepEqual(w.broken(), []);
});

test("context that comes during a turn is for a later one, also after a crash", () => {
  const w = world().prompt("msg_1").prompt("msg_2").prompt("msg_3", { delivery: "context" }).prompt("msg_4");
  const after = w.crashAfter(99);
  after.command({ type: "next" }).signal({ type: "turn.finished", reason: "end_turn" });
  const contexts = after.of("turn.started").map(({ data }) => [data.prompt?.id, data.context?.map(({ id }) => id)]);
  assert.deepEqual(contexts, [
    ["msg_1", undefined],
    ["msg_2", undefined],
    ["msg_4", ["msg_3"]],
  ]);
  after.settle();
  assert.deepEqual(after.broken(), []);
});

test("another agent may serve a session until its first turn, and brings its own model", () => {
  const w = world();
  w.command({ type: "update", facts: { model: "small", mode: "plan", title: "Mine" } });
  w.command({ type: "update", agent: "other", facts: { model: "large" } });
  assert.deepEqual(
    [w.session?.agent, w.session?.model, w.session?.mode, w.session?.title],
    ["other", "large", undefined, "Mine"],
  );
  w.command({ type: "prompt", agent: "third", prompt: { id: "msg_1", parts: [] } });
  assert.deepEqual([w.state.agent, w.session?.agent, w.session?.model], ["third", "third", undefined]);
  const drafts = w.events.length;
  w.command({ type: "update", agent: "other", facts: {} });
  w.command({ type: "prompt", agent: "other", prompt: { id: "msg_2", parts: [] } });
  assert.deepEqual(
    w.refusals.map(({ code }) => code),
    ["invalid", "invalid"],
  );
  assert.match(w.refusals[0]?.message ?? "", /begun with agent third.*start a new session for other/);
  assert.equal(w.events.length, drafts, "nothing was said");
  w.command({ type: "prompt", agent: "third", prompt: { id: "msg_3", parts: [] } });
  assert.equal(w.refusals.length, 2, "its own agent is no change");
  w.settle();
  assert.deepEqual(w.broken(), []);
  const later = w.crashAfter(99);
  later.command({ type: "update", agent: "other", facts: {} });
  assert.equal(later.refusals.length, 1, "also after a restart");
});
