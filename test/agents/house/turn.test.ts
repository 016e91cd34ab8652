import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Answer } from "../../../src/core/ledger/signals.ts";
import { text } from "../../gateway/rig.ts";
import { answers, call, calls, endOf, finish, houseRig, ofType, playing, resultsIn, say } from "./support.ts";
import { gated, slow } from "./test-tools.ts";

const ALLOW: Answer = { kind: "permission", outcome: "once" };

test("the scripted model reads a file, asks, edits it and answers", async (t) => {
  const made = await houseRig(t);
  const file = join(made.work, "README.md");
  await writeFile(file, "# Title\n\nWords.\n");
  const turn = await made.start("Read README.md and add a line at the end");
  const ask = await made.asked();
  assert.ok(ask.type === "permission.requested");
  assert.deepEqual([ask.data.action, ask.data.patterns], ["edit", ["README.md"]]);
  assert.match(String(ask.data.metadata?.diff), /^\+Added by Parley's scripted model\.$/m);
  assert.equal(await readFile(file, "utf8"), "# Title\n\nWords.\n", "nothing is written before the answer");
  await made.gateway.answer(made.session, ask.data.ask, ALLOW, "test");
  const events = await made.over(turn);
  assert.equal(await readFile(file, "utf8"), "# Title\n\nWords.\nAdded by Parley's scripted model.\n");
  assert.deepEqual(
    calls(events).map(({ name, status }) => `${name} ${status}`),
    ["read completed", "edit completed"],
  );
  const files = ofType(events, "item.completed").flatMap(({ data: { item } }) =>
    item.kind === "tool_result" ? (item.files ?? []) : [],
  );
  assert.deepEqual(
    files.map(({ path, kind, additions, deletions }) => [path, kind, additions, deletions]),
    [["README.md", "modified", 1, 0]],
  );
  assert.equal(ofType(events, "step.ended").length, 3);
});

test("a refusal with a reason reaches the model, and nothing is written", async (t) => {
  const made = await houseRig(t);
  await writeFile(join(made.work, "README.md"), "as it was\n");
  const turn = await made.start("Read README.md and add a line at the end");
  const { data } = await made.asked();
  const answer: Answer = { kind: "permission", outcome: "reject", feedback: "not today" };
  await made.gateway.answer(made.session, data.ask, answer, "test");
  const events = await made.over(turn);
  assert.match(answers(events).at(-1) ?? "", /not today/);
  assert.equal(await readFile(join(made.work, "README.md"), "utf8"), "as it was\n");
});

test("always holds for the same file in the session, and not for another", async (t) => {
  const { model } = playing(
    call("write", { path: "a.txt", content: "1" }, "w1"),
    call("write", { path: "a.txt", content: "2" }, "w2"),
    call("write", { path: "b.txt", content: "3" }, "w3"),
    say("Done."),
  );
  const made = await houseRig(t, { model });
  const turn = await made.start("go");
  const first = await made.asked();
  await made.gateway.answer(made.session, first.data.ask, { kind: "permission", outcome: "always" }, "test");
  const third = await made.until(
    made.session,
    (event) => event.type === "permission.requested" && event.data.patterns[0] === "b.txt",
  );
  assert.equal(await readFile(join(made.work, "a.txt"), "utf8"), "2");
  assert.ok(third.type === "permission.requested");
  await made.gateway.answer(made.session, third.data.ask, ALLOW, "test");
  const events = await made.over(turn);
  assert.deepEqual(
    ofType(events, "permission.resolved").map(({ data }) => [data.outcome, data.by]),
    [
      ["always", "test"],
      ["once", "rule"],
      ["once", "test"],
    ],
  );
});

test("a star in a command that is always allowed stands for nothing but itself", async (t) => {
  const { model } = playing(
    call("bash", { command: "echo *.none" }, "b1"),
    call("bash", { command: "echo x; touch evil; echo .none" }, "b2"),
    say("Done."),
  );
  const made = await houseRig(t, { model });
  const turn = await made.start("go");
  const first = await made.asked();
  await made.gateway.answer(made.session, first.data.ask, { kind: "permission", outcome: "always" }, "test");
  const second = await made.asked();
  await made.gateway.answer(made.session, second.data.ask, { kind: "permission", outcome: "reject" }, "test");
  await made.over(turn);
  await assert.rejects(readFile(join(made.work, "evil")));
});

test("plan mode cannot write: such tools are not offered, and refused when called all the same", async (t) => {
  const { model, asked } = playing(
    [
      ...call("write", { path: "a.txt", content: "x" }),
      ...call("edit", { path: "README.md", old: "a", new: "b" }),
      ...call("bash", { command: "touch b.txt" }),
      ...call("read", { path: "README.md" }),
    ],
    say("My plan."),
  );
  const made = await houseRig(t, { model, mode: "plan" });
  await writeFile(join(made.work, "README.md"), "a\n");
  const events = await made.turn("go");
  assert.deepEqual(asked[0]?.tools?.map(({ name }) => name).toSorted(), ["glob", "grep", "question", "read", "todo"]);
  assert.deepEqual(
    calls(events)
      .map(({ name, status, error }) => `${name} ${status} ${error?.code ?? ""}`)
      .toSorted(),
    ["bash failed plan_mode", "edit failed plan_mode", "read completed ", "write failed plan_mode"],
  );
  assert.equal(ofType(events, "permission.requested").length, 0);
  assert.equal(await readFile(join(made.work, "README.md"), "utf8"), "a\n");
});

test("a mode that is set holds from the next prompt on", async (t) => {
  const { model, asked } = playing(say("One."), say("Two."));
  const made = await houseRig(t, { model });
  await made.turn("first");
  await made.gateway.update(made.session, { mode: "plan" });
  await made.turn("second");
  const writers = asked.map(({ tools }) => tools?.some(({ name }) => name === "write"));
  assert.deepEqual(writers, [true, false]);
});

test("words for a running turn reach the model before its next step", async (t) => {
  const held = gated("held");
  const { model, asked } = playing(call("held"), say("I heard."));
  const made = await houseRig(t, { model, tools: [held.tool] });
  const turn = await made.start("go");
  await held.started;
  const receipt = await made.gateway.prompt(made.session, text("and be quick", { delivery: "steer" }));
  assert.equal(receipt.status, "steered");
  held.release();
  await made.over(turn);
  const roles = asked[1]?.prompt.map(({ role }) => role);
  assert.deepEqual(roles, ["system", "user", "assistant", "tool", "user"]);
  assert.match(JSON.stringify(asked[1]?.prompt.at(-1)), /and be quick/);
});

test("words that come with the model's last ones are answered in the same turn", async (t) => {
  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const { model } = playing(async function* () {
    yield* say("Done.");
    reached.resolve();
    await go.promise;
    yield finish();
  }, say("That too."));
  const made = await houseRig(t, { model });
  const turn = await made.start("go");
  await reached.promise;
  await made.gateway.prompt(made.session, text("one more thing", { delivery: "steer" }));
  go.resolve();
  assert.deepEqual(answers(await made.over(turn)), ["Done.", "That too."]);
});

test("a question is asked and its answer reaches the model", async (t) => {
  const made = await houseRig(t);
  const turn = await made.start("Ask me a question");
  const ask = await made.asked();
  assert.ok(ask.type === "question.requested");
  const answer: Answer = { kind: "question", outcome: "answered", answers: [["Tea"]] };
  await made.gateway.answer(made.session, ask.data.ask, answer, "test");
  assert.match(answers(await made.over(turn)).at(-1) ?? "", /Tea or coffee\?\n {2}Tea/);
});

test("the todo tool sets the plan", async (t) => {
  const todos = [
    { text: "look", status: "completed" },
    { text: "do", status: "in_progress", priority: "high" },
  ];
  const { model } = playing(call("todo", { todos }), say("Done."));
  const { turn } = await houseRig(t, { model });
  assert.deepEqual(
    ofType(await turn("go"), "plan.updated").map(({ data }) => data.entries),
    [todos],
  );
});

test("usage has reasoning and cache, by step and in all", async (t) => {
  const { model } = playing(call("slow"), say("Done."));
  const { turn } = await houseRig(t, { model, tools: [slow(1)] });
  const events = await turn("go");
  const tokens = { input: 4, output: 7, reasoning: 3, cacheRead: 5, cacheWrite: 1 };
  assert.deepEqual(
    ofType(events, "step.ended").map(({ data }) => [data.finish, data.usage?.tokens]),
    [
      ["tool-calls", tokens],
      ["stop", tokens],
    ],
  );
  const twice = Object.fromEntries(Object.entries(tokens).map(([kind, count]) => [kind, 2 * count]));
  assert.deepEqual(endOf(events).usage?.tokens, twice);
});

test("an input that does not fit, and a tool that is not there, are told to the model", async (t) => {
  const { model, asked } = playing([...call("read", { file: 1 }), ...call("fly")], say("Sorry."));
  const { turn } = await houseRig(t, { model });
  const events = await turn("go");
  assert.deepEqual(
    calls(events)
      .map(({ name, error }) => `${name} ${error?.code}`)
      .toSorted(),
    ["fly unknown_tool", "read bad_input"],
  );
  assert.match(resultsIn(asked[1]).fly ?? "", /there are: read, write/);
});

test("a model that uses its ids again is not taken for repeating itself", async (t) => {
  const { model } = playing(call("slow", { a: 1 }, "call-1"), call("slow", { a: 2 }, "call-1"), say("Done."));
  const { turn } = await houseRig(t, { model, tools: [slow(1)] });
  assert.deepEqual(
    calls(await turn("go")).map((item) => [item.call, item.status]),
    [
      ["call-1", "completed"],
      ["call-1_2", "completed"],
    ],
  );
});

test("a model that never stops calling is stopped", async (t) => {
  const { model } = playing(...Array.from({ length: 9 }, (_, at) => call("slow", { at }, `c${at}`)));
  const { turn } = await houseRig(t, { model, tools: [slow(1)], maxSteps: 4 });
  const events = await turn("go");
  assert.deepEqual([endOf(events).reason, calls(events).length], ["max_turns", 4]);
});

const endings = [
  ["length", "max_tokens"],
  ["content-filter", "refusal"],
  ["stop", "end_turn"],
] as const;

for (const [finished, reason] of endings) {
  test(`a model that finishes with ${finished} ends the turn as ${reason}`, async (t) => {
    const { model } = playing([...say("Words."), finish(finished)]);
    const { turn } = await houseRig(t, { model });
    assert.equal(endOf(await turn("go")).reason, reason);
  });
}
