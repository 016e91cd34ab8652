import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { sampleAgent } from "../../../src/agents/line-protocol/launch.ts";
import type { Answer } from "../../../src/core/ledger/signals.ts";
import { appendDiff } from "../../../src/testing/sample-agent/read-edit.ts";
import { assertWithin } from "../../support/time.ts";
import { openAgent, say, turn } from "./support.ts";

test("[[tools N]]: parallel calls, each done once, results in another order", async (t) => {
  const agent = await openAgent(t);
  await turn(agent, "[[tools 5]]");
  const begun = agent.all("tool.running").map((signal) => signal.call);
  const done = agent.all("tool.done").map((signal) => signal.call);
  assert.equal(new Set(begun).size, 5);
  assert.deepEqual(done, begun.toReversed());
});

const PERMISSIONS: [answer: Answer, ok: boolean, says: RegExp][] = [
  [{ kind: "permission", outcome: "once" }, true, /allowed it \(once\)/],
  [{ kind: "permission", outcome: "always" }, true, /allowed it \(always\)/],
  [{ kind: "permission", outcome: "reject", feedback: "too risky" }, false, /did not run it: too risky/],
];
for (const [answer, ok, says] of PERMISSIONS) {
  test(`[[ask]] answered ${answer.outcome}`, async (t) => {
    const agent = await openAgent(t);
    await agent.session.prompt(say("[[ask ls]]"));
    const ask = await agent.nth("permission", 1);
    assert.deepEqual(ask.patterns, ["ls"]);
    assert.equal(agent.all("turn.finished").length, 0);
    await agent.session.answer(ask.ask, answer);
    await agent.nth("turn.finished", 1);
    assert.equal(agent.all("tool.done")[0]?.ok, ok);
    assert.match(agent.text(), says);
  });
}

test("[[question]]", async (t) => {
  const agent = await openAgent(t);
  await agent.session.prompt(say("[[question]]"));
  const { ask } = await agent.nth("question", 1);
  await agent.session.answer(ask, { kind: "question", outcome: "answered", answers: [["green", "blue"]] });
  await agent.nth("turn.finished", 1);
  assert.equal(agent.text(), "You chose: green, blue.");
});

test("[[plan]], [[retry]], [[reasoning]] in one turn, one after the other", async (t) => {
  const agent = await openAgent(t);
  assert.equal((await turn(agent, "[[plan]] [[retry]] [[reasoning]]")).reason, "end_turn");
  assert.ok(
    agent
      .all("plan")
      .at(-1)
      ?.entries.every((entry) => entry.status === "completed"),
  );
  assert.deepEqual(
    agent.all("status").map((signal) => signal.status),
    ["retrying", "retrying", "running"],
  );
  assert.ok(agent.all("text").some((signal) => signal.kind === "reasoning"));
  assert.equal(agent.all("turn.finished").length, 1);
});

test("[[error]]", async (t) => {
  const agent = await openAgent(t);
  const end = await turn(agent, "[[error]]");
  assert.equal(end.reason, "error");
  assert.equal(end.error?.code, "scripted");
  assert.equal((await turn(agent, "and again")).reason, "end_turn");
});

for (const marker of ["[[slow 60000]]", "[[ask]]", "[[question]]", "[[subagent ask]]", "[[flood 100000000]]"]) {
  test(`a cancel ends ${marker} promptly, and the next prompt works`, async (t) => {
    const agent = await openAgent(t);
    await agent.session.prompt(say(marker));
    await Promise.race([agent.nth("text", 1), agent.nth("permission", 1), agent.nth("question", 1)]);
    const begun = performance.now();
    await agent.session.cancel();
    assert.equal((await agent.nth("turn.finished", marker.includes("subagent") ? 2 : 1)).reason, "cancelled");
    assertWithin(performance.now() - begun, 2000, "the cancelled turn's end");
    if (!marker.includes("subagent")) assert.equal((await turn(agent, "hello")).reason, "end_turn");
  });
}

test("[[die]] leaves in the middle of the turn", async (t) => {
  const agent = await openAgent(t);
  await agent.session.prompt(say("[[die 7]]"));
  const exit = await agent.nth("exited", 1);
  assert.equal(exit.code, 7);
  assert.deepEqual(exit.stderr, ["the script asked me to die"]);
  assert.match(agent.text(), /last words\.$/);
  assert.equal(agent.all("turn.finished").length, 0);
});

test("[[die SIGKILL]]", async (t) => {
  const agent = await openAgent(t);
  await agent.session.prompt(say("[[die SIGKILL]]"));
  assert.equal((await agent.nth("exited", 1)).signal, "SIGKILL");
});

test("[[late]]: the turn's end overtakes the tool's", async (t) => {
  const agent = await openAgent(t);
  await turn(agent, "[[late]]");
  assert.equal((await agent.nth("tool.done", 1)).output, "late, but here");
  const types = agent.signals.map(({ type }) => type);
  assert.ok(types.indexOf("turn.finished") < types.indexOf("tool.done"), types.join(", "));
});

test("[[background]]: goes on after the turn, then the agent begins one of its own", async (t) => {
  const agent = await openAgent(t);
  await turn(agent, "[[background 20]]");
  assert.equal(agent.all("tool.backgrounded").length, 1);
  await agent.nth("turn.begun", 1);
  await agent.nth("turn.finished", 2);
  assert.equal(agent.all("tool.done").length, 1);
  const types = agent.signals.map(({ type }) => type);
  assert.ok(types.indexOf("turn.finished") < types.indexOf("tool.done"), types.join(", "));
  assert.match(agent.text(), /The background work is done\.$/);
});

test("[[subagent]]: a child session of its own", async (t) => {
  const agent = await openAgent(t);
  await agent.session.prompt(say("[[subagent ask]]"));
  const { ask } = await agent.nth("permission", 1);
  assert.equal(
    agent.children.some((one) => one.signal.type === "permission"),
    true,
  );
  await agent.session.answer(ask, { kind: "permission", outcome: "once" });
  await agent.nth("turn.finished", 2);
  const child = agent.children[0]?.child;
  const { call } = await agent.nth("tool.done", 1);
  assert.deepEqual(child, { id: child?.id, title: "A helper", agent: "helper", call });
  assert.equal(new Set(agent.children.map((one) => one.child.id)).size, 1);
  assert.equal(agent.children.at(-1)?.signal.type, "turn.finished");
  assert.match(agent.text(), /My helper is done/);
});

test("[[read-edit]] without a README.md, rejected, and in plan mode", async (t) => {
  const agent = await openAgent(t);
  const file = join(agent.directory, "README.md");
  await agent.session.prompt(say("[[read-edit]]"));
  const first = await agent.nth("permission", 1);
  await agent.session.answer(first.ask, { kind: "permission", outcome: "reject" });
  await agent.nth("turn.finished", 1);
  await assert.rejects(readFile(file), { code: "ENOENT" });
  await agent.session.prompt(say("[[read-edit]]"));
  const second = await agent.nth("permission", 2);
  await agent.session.answer(second.ask, { kind: "permission", outcome: "always" });
  await agent.nth("turn.finished", 2);
  const written = await readFile(file, "utf8");
  assert.equal(written, "Added by Parley's scripted agent.\n");
  assert.equal(agent.all("tool.done").at(-1)?.files?.[0]?.kind, "added");
  await agent.session.set({ mode: "plan" });
  await turn(agent, "[[read-edit]]");
  assert.equal(agent.all("permission").length, 2);
  assert.equal(await readFile(file, "utf8"), written);
});

const DIFFS: [before: string | undefined, diff: string][] = [
  [undefined, "--- /dev/null\n+++ b/README.md\n@@ -0,0 +1 @@\n+new\n"],
  ["", "--- a/README.md\n+++ b/README.md\n@@ -0,0 +1 @@\n+new\n"],
  ["a\nb\n", "--- a/README.md\n+++ b/README.md\n@@ -2 +2,2 @@\n b\n+new\n"],
  ["a", "--- a/README.md\n+++ b/README.md\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+new\n"],
];
for (const [before, diff] of DIFFS) {
  test(`the diff of a line added to ${JSON.stringify(before)}`, () => assert.equal(appendDiff(before, "new"), diff));
}

test("--script plays its steps literally, by marker", async (t) => {
  const first = await openAgent(t);
  const file = join(first.directory, "script.json");
  const text = (delta: string) => ({ signal: { type: "text", item: "i", kind: "message", role: "assistant", delta } });
  const finished = { signal: { type: "turn.finished", reason: "end_turn" } };
  await writeFile(
    file,
    JSON.stringify({
      wait: [text("a"), { wait: "answer" }, { wait: 5 }, text("b"), { wait: "cancel" }, text("c"), finished, finished],
      raw: [{ raw: "not json\n" }, { raw: "/w==", encoding: "base64" }, { raw: "\n" }, finished],
      bye: [{ exit: 4 }],
      "*": [text("any"), finished],
    }),
  );
  const [program, ...args] = sampleAgent().argv;
  const agent = await openAgent(t, { argv: [program, ...args, "--script", file] });
  await turn(agent, "hello");
  assert.equal(agent.text(), "any");
  await agent.session.prompt(say("[[wait]]"));
  await agent.nth("text", 2);
  await agent.session.answer("x", { kind: "permission", outcome: "once" });
  await agent.nth("text", 3);
  await agent.session.cancel();
  await agent.nth("turn.finished", 3);
  assert.equal(agent.text(), "anyabc");
  await turn(agent, "[[raw]]");
  assert.deepEqual(
    agent.all("unparsed").map((signal) => signal.sample),
    ["not json", "\ufffd"],
  );
  await agent.session.prompt(say("[[bye]]"));
  assert.equal((await agent.nth("exited", 1)).code, 4);
});
