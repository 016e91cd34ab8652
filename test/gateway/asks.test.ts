import assert from "node:assert/strict";
import { test } from "node:test";
import { busy, permission, question, requested } from "./asking.ts";
import { ended, type Rig, rig, text } from "./rig.ts";

test("B5: the first answer wins, a later one learns which, an unknown one is not found", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  session.say(permission);
  await r.until(id, requested);
  const [ask] = await r.gateway.asks(id);
  assert.equal(ask?.kind, "permission");
  assert.equal((await r.gateway.get(id)).turn?.status.status, "requires_action");
  const answers = await Promise.allSettled(
    ["alice", "bob", "carol"].map((by) =>
      r.gateway.answer(id, ask?.id ?? "", { kind: "permission", outcome: by === "alice" ? "once" : "reject" }, by),
    ),
  );
  assert.deepEqual(
    answers.map((answer) => (answer.status === "fulfilled" ? "won" : answer.reason.code)),
    ["won", "already_answered", "already_answered"],
  );
  const lost = answers[1]?.status === "rejected" ? answers[1].reason : undefined;
  assert.deepEqual([lost.status, lost.details.resolution.by, lost.details.resolution.outcome], [409, "alice", "once"]);
  assert.deepEqual(session.answers, [{ ask: "p1", answer: { kind: "permission", outcome: "once" } }]);
  await assert.rejects(r.gateway.answer(id, "per_nobody", { kind: "permission", outcome: "once" }, "x"), {
    code: "ask_not_found",
  });
  assert.deepEqual(await r.gateway.asks(id), []);
  assert.equal((await r.gateway.get(id)).turn?.status.status, "running");
});

test("B5: an answer for the session covers what matches it, and what waits already", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  session.say(permission);
  session.say({ ...permission, ask: "p2" });
  session.say({ ...permission, ask: "p3", patterns: ["b.txt"] });
  await r.until(id, (event) => event.type === "permission.requested" && event.data.patterns[0] === "b.txt");
  const asks = await r.gateway.asks(id);
  await r.gateway.answer(id, asks[0]?.id ?? "", { kind: "permission", outcome: "always" }, "me");
  session.say({ ...permission, ask: "p4" });
  await r.fake.answered(3);
  assert.deepEqual(
    session.answers.map(({ ask, answer }) => [ask, answer.outcome]),
    [
      ["p1", "always"],
      ["p2", "once"],
      ["p4", "once"],
    ],
  );
  assert.deepEqual(
    (await r.gateway.asks(id)).map((ask) => ask.kind === "permission" && ask.request.patterns),
    [["b.txt"]],
  );
});

test("B5: questions take one list of answers for each question", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  session.say(question);
  await r.until(id, requested);
  const [ask] = await r.gateway.asks();
  await assert.rejects(
    r.gateway.answer(id, ask?.id ?? "", { kind: "question", outcome: "answered", answers: [] }, "me"),
    /expected 1 answers/,
  );
  await assert.rejects(r.gateway.answer(id, ask?.id ?? "", { kind: "permission", outcome: "once" }, "me"), {
    code: "invalid",
  });
  await r.gateway.answer(
    id,
    ask?.id ?? "",
    { kind: "question", outcome: "answered", answers: [["A", "free text"]] },
    "me",
  );
  assert.deepEqual(session.answers[0]?.answer, {
    kind: "question",
    outcome: "answered",
    answers: [["A", "free text"]],
  });
});

const NARROW = {
  options: [
    { id: "y", kind: "once" as const },
    { id: "n", kind: "reject" as const },
  ],
};

test("an outcome that was not offered is refused, and the ask stays open", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  session.say({ ...permission, ...NARROW });
  await r.until(id, requested);
  const [ask] = await r.gateway.asks(id);
  await assert.rejects(r.gateway.answer(id, ask?.id ?? "", { kind: "permission", outcome: "always" }, "me"), {
    code: "invalid",
    status: 422,
    message: `expected one of the outcomes that ask ${ask?.id} offers (once, reject), got always`,
  });
  assert.equal(session.answers.length, 0);
  await r.gateway.answer(id, ask?.id ?? "", { kind: "permission", outcome: "once" }, "me");
  assert.equal(session.answers[0]?.answer.outcome, "once");
});

test("an answer that a question does not take is refused", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  const options = [{ label: "A" }, { label: "B" }];
  session.say({ ...question, questions: [{ question: "Which?", options, custom: false, multiple: false }] });
  await r.until(id, requested);
  const [ask] = await r.gateway.asks(id);
  const give = (...given: string[]): Promise<void> =>
    r.gateway.answer(id, ask?.id ?? "", { kind: "question", outcome: "answered", answers: [given] }, "me");
  await assert.rejects(give("C"), /expected one of A, B as answer to "Which\?", got C/);
  await assert.rejects(give("A", "B"), /expected one answer to "Which\?", got 2/);
  await give("B");
});

test("what was allowed before is allowed again in the words that are offered", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  const options = [
    { id: "a", kind: "always" as const },
    { id: "n", kind: "reject" as const },
  ];
  session.say(permission);
  await r.until(id, requested);
  const [ask] = await r.gateway.asks(id);
  await r.gateway.answer(id, ask?.id ?? "", { kind: "permission", outcome: "always" }, "me");
  session.say({ ...permission, ask: "p2", options });
  await r.fake.answered(2);
  assert.deepEqual(session.answers[1], { ask: "p2", answer: { kind: "permission", outcome: "always" } });
});

test("a no is taken though it was not offered", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  session.say({ ...permission, options: [{ id: "y", kind: "once" }] });
  await r.until(id, requested);
  const [ask] = await r.gateway.asks(id);
  await r.gateway.answer(id, ask?.id ?? "", { kind: "permission", outcome: "reject", feedback: "no" }, "me");
  assert.deepEqual(session.answers[0]?.answer, { kind: "permission", outcome: "reject", feedback: "no" });
});

test("an ask that offers nothing can be answered all the same", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  session.say({ ...permission, options: [] });
  await r.until(id, requested);
  const [ask] = await r.gateway.asks(id);
  await r.gateway.answer(id, ask?.id ?? "", { kind: "permission", outcome: "reject" }, "me");
  assert.equal(session.answers[0]?.answer.outcome, "reject");
});

test("cancelling resolves what was asked, and declines what is asked afterwards", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  session.say(permission);
  await r.until(id, requested);
  r.fake.onCancel = () => {
    session.say({ ...permission, ask: "late" });
    session.say({ type: "turn.finished", reason: "cancelled" });
  };
  await r.gateway.cancel(id, { queue: "clear" });
  const events = await r.assertLawful(id);
  const outcomes = events.flatMap((event) => (event.type === "permission.resolved" ? [event.data.outcome] : []));
  assert.deepEqual(outcomes, ["cancelled", "cancelled"]);
  assert.deepEqual(session.answers.map(({ ask, answer }) => [ask, answer.outcome]).sort(), [
    ["late", "reject"],
    ["p1", "reject"],
  ]);
});

test("a sub-agent has a session of its own, its asks show on the root, and it dies with the agent", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  const child = { id: "sub-1", title: "Look around" };
  session.say({ type: "turn.begun" }, child);
  session.say({ type: "text", item: "m", kind: "message", delta: "Looking" }, child);
  session.say({ ...permission, ask: "child-ask" }, child);
  const [childState] = await waitForChild(r, id);
  const childId = childState?.id ?? "";
  await r.until(childId, requested);
  const [ask] = await r.gateway.asks(id);
  assert.equal(ask?.session, childId);
  await r.gateway.answer(id, ask?.id ?? "", { kind: "permission", outcome: "once" }, "me");
  assert.deepEqual(session.answers, [{ ask: "child-ask", answer: { kind: "permission", outcome: "once" } }]);
  await assert.rejects(r.gateway.prompt(childId, text("hi")), /takes no prompts/);
  session.exit(1);
  await r.until(childId, ended);
  await r.until(id, ended);
  const events = await r.assertLawful(childId);
  assert.ok(events.every((event) => event.parent === id && event.root === id));
  assert.equal((await r.gateway.list({ limit: 10, parent: null })).length, 1);
});

test("a tool call that started a sub-agent names its session", async (t) => {
  const r = await rig(t);
  const { id, session } = await busy(r);
  const child = { id: "sub-1", title: "Look around", call: "c1" };
  session.say({ type: "tool.running", call: "c1", name: "task", input: { task: "look around" } });
  session.say({ type: "turn.begun" }, child);
  session.say({ type: "turn.finished", reason: "end_turn" }, child);
  session.say({ type: "tool.done", call: "c1", ok: true, output: "seen" });
  session.say({ type: "turn.finished", reason: "end_turn" });
  await r.until(id, ended);
  const events = await r.assertLawful(id);
  const named = events.flatMap((event) => {
    if (event.type === "item.updated" && event.data.child !== undefined) return [event.data.child];
    const item = event.type === "item.completed" ? event.data.item : undefined;
    return item?.kind === "tool_call" ? [item.child] : [];
  });
  const [childState] = await r.gateway.list({ limit: 10, parent: id });
  assert.deepEqual(named, [childState?.id, childState?.id]);
});

async function waitForChild(r: Rig, root: string): ReturnType<Rig["gateway"]["list"]> {
  const heard = new Promise<void>((resolve) => {
    const stop = r.log.listenAll((_, events) => {
      if (!events.some((event) => event.root === root)) return;
      stop();
      resolve();
    });
  });
  const now = await r.gateway.list({ limit: 10, parent: root });
  if (now.length > 0) return now;
  await heard;
  return r.gateway.list({ limit: 10, parent: root });
}
