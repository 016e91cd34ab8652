import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndReason, Failure } from "../../../../src/core/events/values.ts";
import { errorOf, finishOf } from "../../../../src/surfaces/opencode/projection/failures.ts";
import type { AssistantMessage, MessageError } from "../../../../src/surfaces/opencode/shapes/message.ts";
import { EDITED, Story, USED } from "./story.ts";

function answers(story: Story): AssistantMessage[] {
  return story
    .view()
    .messages()
    .flatMap(({ info }) => (info.role === "assistant" ? [info] : []));
}

function errors(story: Story): MessageError[] {
  return story.said().flatMap((event) => (event.type === "session.error" ? [event.properties.error] : []));
}

const begun = (): Story => new Story().prompt().step();

const FAILURES: [failure: Failure, error: MessageError][] = [
  [
    { code: "model_auth", message: "no key for anthropic" },
    { name: "ProviderAuthError", data: { providerID: "house", message: "no key for anthropic" } },
  ],
  [
    { code: "model_auth", message: "answered 401", details: { status: 401 } },
    { name: "APIError", data: { message: "answered 401", statusCode: 401, isRetryable: false } },
  ],
  [
    { code: "model_rate_limited", message: "answered 429", retryable: true, details: { status: 429 } },
    { name: "APIError", data: { message: "answered 429", statusCode: 429, isRetryable: true } },
  ],
  [
    { code: "model_failed", message: "cut off" },
    { name: "APIError", data: { message: "cut off", isRetryable: false } },
  ],
  [
    { code: "spawn_failed", message: "no such program" },
    { name: "UnknownError", data: { message: "no such program" } },
  ],
];

for (const [failure, error] of FAILURES)
  test(`${failure.code}: ${failure.message} is a ${error.name}`, () =>
    assert.deepEqual(errorOf(failure, "house"), error));

const FINISHES: [theirs: string, ours: string][] = [
  ["stop", "stop"],
  ["end_turn", "stop"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["refusal", "content-filter"],
  ["interrupted", "tool-calls"],
  ["other", "other"],
  ["constructor", "constructor"],
];

for (const [theirs, ours] of FINISHES)
  test(`a step's ${theirs} is ${ours}`, () => assert.equal(finishOf(theirs), ours));

const REASONS: [reason: EndReason & ("end_turn" | "max_tokens" | "max_turns" | "refusal"), finish: string][] = [
  ["end_turn", "stop"],
  ["max_tokens", "length"],
  ["refusal", "content-filter"],
  ["max_turns", "tool-calls"],
];

for (const [reason, finish] of REASONS) {
  test(`a turn that ends by ${reason}: its last step ends by ${finish}, the ones before by tool-calls`, () => {
    const story = new Story().prompt().say("one");
    story.step().say("two").end(reason);
    assert.deepEqual(
      answers(story).map((info) => info.finish),
      ["tool-calls", finish],
    );
    assert.deepEqual(errors(story), []);
  });
}

test("a turn that is cancelled: the last message and the session say so once", () => {
  const story = begun().say("one").endStep("tool-calls").step().say("two").cancel().end("cancelled");
  const aborted = { name: "MessageAbortedError", data: { message: "Aborted" } };
  assert.deepEqual(
    answers(story).map(({ finish, error }) => [finish, error]),
    [
      ["tool-calls", undefined],
      [undefined, aborted],
    ],
  );
  assert.deepEqual(errors(story), [aborted]);
});

test("a turn that a crash interrupted ends its message", () => {
  const story = begun().say("one");
  const restarted = story.world.crashAfter(story.world.boundaries.length - 1);
  story.world.events.splice(0, Number.POSITIVE_INFINITY, ...restarted.events);
  const [info] = answers(story);
  assert.equal(info?.error?.name, "MessageAbortedError");
  assert.ok(info.time.completed !== undefined);
  assert.equal(errors(story).length, 1);
});

test("an error before any step is said, and is on a message of its own", () => {
  const story = new Story().prompt();
  story.world.command({
    type: "fail",
    turn: story.world.state.turn?.id ?? "",
    error: { code: "spawn_failed", message: "no" },
  });
  const error = { name: "UnknownError", data: { message: "no" } };
  const [info, ...more] = answers(story);
  assert.deepEqual([info?.error, info?.time.completed !== undefined, more], [error, true, []]);
  assert.deepEqual(errors(story), [error]);
});

test("an error after the last step was over is on its message all the same", () => {
  const story = begun().say("one").endStep("stop");
  story.world.exit();
  const [info] = answers(story);
  assert.deepEqual([info?.finish, info?.error?.name], ["stop", "UnknownError"]);
});

test("usage: by step where steps say it, with cache and reasoning apart", () => {
  const tokens = { input: 10, output: 7, reasoning: 2, cacheRead: 3, cacheWrite: 1 };
  const story = begun().say("one").endStep("tool-calls", { tokens, cost: 0.5 }).step().say("two").endStep("stop").end();
  assert.deepEqual(
    answers(story).map(({ tokens, cost }) => [tokens, cost]),
    [
      [{ total: 21, input: 10, output: 5, reasoning: 2, cache: { read: 3, write: 1 } }, 0.5],
      [{ total: 120, input: 100, output: 20, reasoning: 0, cache: { read: 0, write: 0 } }, 0],
    ],
  );
  const { tokens: all, cost } = story.view().session();
  assert.deepEqual([all, cost], [{ input: 110, output: 25, reasoning: 2, cache: { read: 3, write: 1 } }, 0.5]);
});

test("usage: the turn's, on its last message, where no step says any", () => {
  for (const finish of ["stop", undefined]) {
    const story = begun().say("one");
    if (finish !== undefined) story.world.signal({ type: "step.finished", finish });
    story.world.signal({ type: "turn.finished", reason: "end_turn", usage: { ...USED, cost: 0.1 } });
    const message = story.view().messages().at(-1);
    const last = message?.parts.at(-1);
    assert.ok(message?.info.role === "assistant" && last?.type === "step-finish");
    assert.deepEqual([message.info.tokens.total, message.info.cost], [120, 0.1]);
    assert.deepEqual([last.tokens.total, last.cost], [120, 0.1]);
    assert.deepEqual(story.view().session().tokens?.input, 100);
  }
});

test("a session counts what the open turn has used so far, and counts it once", () => {
  const story = begun().say("one").endStep("tool-calls");
  assert.equal(story.view().session().tokens?.input, 100);
  story.step().say("two").endStep("stop").end();
  assert.equal(story.view().session().tokens?.input, 200);
});

test("a tool that ends after its step: the step is over when the tool is", () => {
  const story = begun().run("c", "edit").endStep("tool-calls");
  assert.equal(answers(story)[0]?.time.completed, undefined);
  story.done("c", { files: [EDITED] });
  assert.ok(answers(story)[0]?.time.completed !== undefined);
  const types = story
    .view()
    .messages()
    .at(-1)
    ?.parts.map(({ type }) => type);
  assert.deepEqual(types, ["step-start", "tool", "step-finish", "patch"]);
});

test("the changes of a turn are on its prompt's message, file by file, before idle", () => {
  const again = { ...EDITED, diff: EDITED.diff?.replace("Added", "Another") };
  const story = begun()
    .run("c1", "edit")
    .done("c1", { files: [EDITED] })
    .endStep("tool-calls");
  story
    .step()
    .run("c2", "edit")
    .done("c2", { files: [again, { ...EDITED, path: "/else/where.txt", kind: "added" }] });
  story.end();
  const [user] = story.view().messages();
  assert.ok(user?.info.role === "user");
  const { diffs = [] } = user.info.summary ?? {};
  assert.deepEqual(
    diffs.map(({ patch: _, ...rest }) => rest),
    [
      { file: "README.md", additions: 2, deletions: 0, status: "modified" },
      { file: "/else/where.txt", additions: 1, deletions: 0, status: "added" },
    ],
  );
  assert.equal(diffs[0]?.patch?.match(/^--- /gm)?.length, 1);
  assert.equal(diffs[0]?.patch?.match(/^@@ /gm)?.length, 2);
  assert.deepEqual(story.view().session().summary, { additions: 3, deletions: 0, files: 2 });
  const types = story.said().map(({ type }) => type);
  assert.deepEqual(types.slice(-5), [
    "message.updated",
    "session.updated",
    "session.diff",
    "session.status",
    "session.idle",
  ]);
});

test("a retry is shown with its time, and busy once it is over", () => {
  const story = begun();
  story.world.signal({ type: "status", status: "retrying", attempt: 1, message: "overloaded", next: 99 });
  assert.deepEqual(story.view().status(), { type: "retry", attempt: 1, message: "overloaded", next: 99 });
  story.say("one").end();
  const statuses = story
    .said()
    .flatMap((event) => (event.type === "session.status" ? [event.properties.status.type] : []));
  assert.deepEqual(statuses, ["busy", "retry", "busy", "idle"]);
});

test("compaction shows on the session while it lasts", () => {
  const story = begun();
  story.world.signal({ type: "status", status: "compacting" });
  assert.ok(story.view().session().time.compacting !== undefined);
  assert.deepEqual(story.view().status(), { type: "busy" });
  story.say("one");
  assert.equal(story.view().session().time.compacting, undefined);
  assert.equal(story.said().filter(({ type }) => type === "session.compacted").length, 1);
});

test("a text that is replaced is sent whole, and one that is taken back vanishes", () => {
  const story = begun();
  story.world.signal({ type: "text", item: "m1", kind: "message", delta: "wrong" });
  story.world.signal({ type: "text.replaced", item: "m1", text: "right" });
  story.world.signal({ type: "text", item: "m2", kind: "message", delta: "never mind" });
  story.world.signal({ type: "text.retracted", item: "m2" });
  story.end();
  const texts = story
    .view()
    .messages()
    .at(-1)
    ?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  assert.deepEqual(texts, ["right"]);
  assert.equal(story.said().filter(({ type }) => type === "message.part.removed").length, 1);
});

test("a remark is a toast where it matters, and never a part", () => {
  const story = begun();
  story.world
    .signal({ type: "note", level: "info", text: "fyi" })
    .signal({ type: "note", level: "warn", text: "mind" });
  story.end();
  const toasts = story.said().flatMap((event) => (event.type === "tui.toast.show" ? [event.properties] : []));
  assert.deepEqual(toasts, [{ message: "mind", variant: "warning" }]);
  assert.ok(
    story
      .view()
      .messages()
      .every(({ parts }) => parts.every(({ type }) => type !== "text" || parts.length === 1)),
  );
});

test("a tool that ends in a later step: what it changed is added to its own", () => {
  const story = begun().run("c", "edit").endStep("tool-calls").step().say("meanwhile");
  story.done("c", { files: [EDITED] });
  const [, first] = story.view().messages();
  assert.deepEqual(
    first?.parts.map(({ type }) => type),
    ["step-start", "tool", "step-finish", "patch"],
  );
});

test("a message is over once: what is said of it later does not move its end", () => {
  const story = begun().say("one").endStep("stop");
  const [before] = answers(story);
  story.world.exit();
  const [after] = answers(story);
  assert.ok(after?.error);
  assert.equal(after.time.completed, before?.time.completed);
});

test("a turn that ends while it waits to try again leaves nothing to the next", () => {
  const story = begun();
  story.world.signal({ type: "status", status: "retrying", attempt: 1, message: "overloaded", next: 99 });
  story.cancel().end("cancelled").prompt("msg_2").ask("c", "bash", "ls");
  const statuses = story
    .said()
    .flatMap((event) => (event.type === "session.status" ? [event.properties.status.type] : []));
  assert.deepEqual(statuses, ["busy", "retry", "idle", "busy"]);
});

test("the usage of a step is told when the step ends", () => {
  const story = begun().say("one");
  const before = story.said().length;
  const [updated] = story
    .endStep("tool-calls")
    .said()
    .slice(before)
    .filter(({ type }) => type === "session.updated");
  assert.ok(updated?.type === "session.updated" && updated.properties.info.tokens?.input === 100);
});

test("a file that was new and is changed again is still new, until it is deleted", () => {
  const story = begun()
    .run("c1", "write")
    .done("c1", { files: [{ path: "a", kind: "added" }] });
  story.run("c2", "edit").done("c2", { files: [{ path: "a", kind: "modified" }] });
  const status = (): unknown => {
    const said = story.said().findLast(({ type }) => type === "session.diff");
    return said?.type === "session.diff" && said.properties.diff.map((diff) => diff.status);
  };
  story.end();
  assert.deepEqual(status(), ["added"]);
  story
    .prompt("msg_2")
    .run("c3", "bash")
    .done("c3", { files: [{ path: "a", kind: "deleted" }] })
    .end();
  assert.deepEqual(status(), ["deleted"]);
});
