import assert from "node:assert/strict";
import { test } from "node:test";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "./world.ts";

function world(options: { quietMs?: number } = {}): World {
  return new World({ step, newLedger, restore }, options);
}

/** Types of what came of the agent's signals, without the turn's own frame. */
function kinds(w: World): string[] {
  return w.events.flatMap((event) => {
    if (event.type === "item.started" || event.type === "item.completed")
      return [`${event.type} ${event.data.item.kind}`];
    if (event.type === "item.updated") return [`item.updated ${event.data.status}`];
    return [event.type];
  });
}

test("A5: read, edit, answer: busy once, idle once, every tool call forward only", () => {
  const w = world().prompt("msg_1");
  w.signal({ type: "step.begun", step: "s1" }).signal({
    type: "text",
    item: "m1",
    kind: "message",
    delta: "I'll read ",
  });
  w.signal({ type: "text", item: "m1", kind: "message", delta: "it." }).signal({
    type: "text.done",
    item: "m1",
    kind: "message",
    text: "I'll read it.",
  });
  w.signal({ type: "tool.seen", call: "read", name: "Read" }).signal({
    type: "tool.running",
    call: "read",
    input: { file: "README.md" },
  });
  w.signal({ type: "step.finished", step: "s1", finish: "tool-calls" }).signal({
    type: "tool.done",
    call: "read",
    ok: true,
    output: "# Hi",
  });
  w.signal({ type: "step.begun", step: "s2" })
    .signal({ type: "tool.seen", call: "edit", name: "Edit" })
    .signal({ type: "tool.running", call: "edit" });
  w.signal({ type: "tool.running", call: "edit" }).signal({ type: "tool.done", call: "edit", ok: true, output: "ok" });
  w.signal({ type: "step.finished", step: "s2" }).signal({ type: "text", item: "m2", kind: "message", delta: "Done!" });
  w.signal({ type: "text.done", item: "m2", kind: "message", text: "Done!" }).signal({
    type: "turn.finished",
    reason: "end_turn",
  });
  w.signal({ type: "turn.finished", reason: "end_turn" }).exit();
  assert.deepEqual(w.broken(), []);
  assert.deepEqual(kinds(w).slice(5), [
    "step.started",
    "item.started message",
    "item.delta",
    "item.delta",
    "item.completed message",
    "item.started tool_call",
    "item.updated running",
    "step.ended",
    "item.started tool_result",
    "item.delta",
    "item.completed tool_result",
    "item.completed tool_call",
    "step.started",
    "item.started tool_call",
    "item.updated running",
    "item.started tool_result",
    "item.delta",
    "item.completed tool_result",
    "item.completed tool_call",
    "step.ended",
    "step.started",
    "item.started message",
    "item.delta",
    "item.completed message",
    "step.ended",
    "turn.ended",
    "session.ended",
  ]);
});

test("D1: a finished step or message never ends a turn", () => {
  const w = world().prompt("p");
  w.signal({ type: "text.done", item: "m", kind: "message", text: "Hi" }).signal({
    type: "step.finished",
    finish: "stop",
  });
  assert.ok(w.state.turn);
});

test("D5, law 11: an error ends the turn once, with one error event, whatever came before it", () => {
  const w = world().prompt("p");
  w.signal({ type: "error", error: { code: "api", message: "first" } }).signal({
    type: "error",
    error: { code: "api", message: "second" },
  });
  w.signal({ type: "turn.finished", reason: "error", error: { code: "auth", message: "401" } });
  w.signal({ type: "turn.finished", reason: "error", error: { code: "auth", message: "401" } });
  assert.deepEqual(w.broken(), []);
  assert.deepEqual(
    w.of("error").map((event) => event.data.message),
    ["401"],
  );
});

test("an error that the agent got over is shown as a status item, not as the turn's error", () => {
  const w = world()
    .prompt("p")
    .signal({ type: "error", error: { code: "net", message: "blip" } })
    .signal({ type: "turn.finished", reason: "end_turn" });
  assert.deepEqual(w.broken(), []);
  assert.equal(w.of("error").length, 0);
  assert.ok(w.of("item.completed").some(({ data: { item } }) => item.kind === "status" && item.text === "blip"));
});

test("law 6: eight open calls are waited for together, once", () => {
  const w = world().prompt("p");
  for (let i = 0; i < 8; i++) w.signal({ type: "tool.running", call: `c${i}`, name: "bash" });
  w.signal({ type: "turn.finished", reason: "end_turn" });
  assert.deepEqual(
    w.timers.map(({ name, ms }) => [name, ms]),
    [["grace", 250]],
  );
  w.signal({ type: "tool.done", call: "c0", ok: true, output: "just in time" }).fireTimers();
  assert.deepEqual(w.broken(), []);
  const ends = w
    .of("item.completed")
    .flatMap(({ data: { item } }) => (item.kind === "tool_call" ? [item.error?.code ?? item.status] : []));
  assert.deepEqual(ends, ["completed", ...Array.from({ length: 7 }, () => "interrupted")]);
});

test("law 9: cancelled beats an end that the agent reports afterwards", () => {
  const w = world().prompt("p").command({ type: "cancel", queue: "keep" }).command({ type: "cancel", queue: "keep" });
  w.signal({ type: "turn.finished", reason: "error", error: { code: "aborted", message: "aborted" } });
  assert.deepEqual(w.broken(), []);
  assert.equal(w.of("turn.ended")[0]?.data.reason, "cancelled");
  assert.equal(w.effects.filter((effect) => effect.type === "cancel").length, 1);
});

test("an agent without turn-level signals: silence ends its turn, but not while a tool or a person is awaited", () => {
  const w = world({ quietMs: 500 }).prompt("p").signal({ type: "tool.running", call: "c", name: "bash" });
  w.fireTimers();
  assert.ok(w.state.turn);
  w.signal({ type: "tool.done", call: "c", ok: true }).fireTimers();
  assert.equal(w.state.turn, null);
  assert.deepEqual(w.broken(), []);
});

test("law 10: an ask about a tool call of a turn that is over is declined, and makes nobody busy", () => {
  const w = world()
    .prompt("p")
    .signal({ type: "tool.running", call: "c", name: "bash" })
    .signal({ type: "turn.finished", reason: "end_turn" })
    .fireTimers();
  w.signal({ type: "permission", ask: "late", action: "bash", call: "c" });
  assert.equal(w.state.turn, null);
  assert.deepEqual(w.effects.at(-1), {
    type: "answer",
    ask: "late",
    answer: { kind: "permission", outcome: "reject", feedback: "the turn is over" },
  });
});

test("a retry is over when the agent speaks again", () => {
  const w = world().prompt("p").signal({ type: "status", status: "retrying", attempt: 2, message: "529", next: 1_500 });
  w.signal({ type: "text", item: "m", kind: "message", delta: "Hi" }).signal({
    type: "turn.finished",
    reason: "end_turn",
  });
  assert.deepEqual(
    w.of("turn.status").map((event) => event.data.status),
    ["retrying", "running"],
  );
  assert.deepEqual(w.broken(), []);
});

test("a text that was streamed wrong is replaced, and said to be", () => {
  const w = world().prompt("p").signal({ type: "text", item: "m", kind: "message", delta: "Half" });
  w.signal({ type: "text.done", item: "m", kind: "message", text: "Another answer" }).signal({
    type: "turn.finished",
    reason: "end_turn",
  });
  assert.deepEqual(
    w.of("item.delta").map(({ data: { delta, replace } }) => delta ?? { replace }),
    ["Half", { replace: "Another answer" }],
  );
  assert.deepEqual(w.broken(), []);
});

test("the queue is bounded", () => {
  const w = world();
  for (let i = 0; i <= 101; i++) w.prompt(`p${i}`);
  assert.equal(w.refusals[0]?.code, "queue_full");
  assert.equal(w.state.queue.length, 100);
});

test("an outcome that was not offered is refused", () => {
  const w = world().prompt("msg_1");
  w.signal({ type: "permission", ask: "p", action: "edit", options: [{ id: "n", kind: "reject" }] });
  const ask = w.session?.asks[0]?.id ?? "";
  const answer = { kind: "permission", outcome: "once" } as const;
  w.command({ type: "answer", ask, answer, by: "me" });
  assert.equal(w.refusals.length, 1);
  assert.match(JSON.stringify(w.refusals), /offers \(reject\), got once/);
  assert.equal(w.session?.asks.length, 1);
  w.command({ type: "answer", ask, answer: { kind: "permission", outcome: "reject" }, by: "me" });
  assert.equal(w.session?.asks.length, 0);
});

test("a message that waited says since when, and keeps what its client added to a part", () => {
  const w = world().prompt("msg_1");
  const parts = [{ type: "text" as const, text: "next", id: "prt_mine" }];
  w.command({ type: "prompt", prompt: { id: "msg_2", parts } });
  const [waiting] = w.of("prompt.queued");
  w.signal({ type: "turn.finished", reason: "end_turn" });
  const items = w.of("item.completed").map((event) => event.data.item);
  assert.partialDeepStrictEqual(items, [
    { id: "msg_1", text: "do msg_1" },
    { id: "msg_2", text: "next", queued: waiting?.time, content: parts },
  ]);
  assert.ok(!("queued" in (items[0] ?? {})) && !("content" in (items[0] ?? {})));
});

test("the rules of a prompt hold from its turn on; those of one that is refused or withdrawn never do", () => {
  const rule = (verdict: "allow" | "deny") => [{ action: "bash", pattern: "*", verdict }];
  const parts = [{ type: "text" as const, text: "next" }];
  const w = world().prompt("msg_1");
  const rules = (): unknown[] => w.of("session.updated").flatMap(({ data }) => data.permissions ?? []);
  w.command({ type: "prompt", prompt: { id: "msg_2", parts, permissions: rule("deny") } });
  w.command({ type: "prompt", prompt: { id: "msg_3", parts, permissions: rule("allow") } });
  w.command({ type: "prompt", prompt: { id: "msg_4", parts, delivery: "reject", permissions: rule("allow") } });
  w.command({ type: "withdraw", prompt: "msg_3" });
  assert.deepEqual(rules(), []);
  w.signal({ type: "turn.finished", reason: "end_turn" });
  assert.deepEqual(rules(), rule("deny"));
  w.signal({ type: "turn.finished", reason: "end_turn" });
  w.command({ type: "prompt", prompt: { id: "msg_5", parts, delivery: "context", permissions: rule("allow") } });
  assert.deepEqual(rules(), [...rule("deny"), ...rule("allow")]);
  assert.deepEqual(w.broken(), []);
});

test("a turn of the agent's own names the prompt before it, also after a restart", () => {
  const w = world();
  const speak = (of: World, item: string): void => {
    of.signal({ type: "text", item, kind: "message", delta: "By the way" });
    of.signal({ type: "turn.finished", reason: "end_turn" });
  };
  speak(w, "m1");
  w.prompt("msg_1").signal({ type: "turn.finished", reason: "end_turn" });
  speak(w, "m2");
  const restarted = w.crashAfter(w.boundaries.length - 1);
  speak(restarted, "m3");
  assert.deepEqual(
    restarted.of("turn.started").map(({ data: { by, after } }) => [by, after]),
    [
      ["agent", undefined],
      ["user", undefined],
      ["agent", "msg_1"],
      ["agent", "msg_1"],
    ],
  );
});

test("a call learns of the sub-agent's session that it started, whichever comes first", () => {
  for (const childFirst of [true, false]) {
    const w = world().prompt("msg_1");
    const child = { type: "tool.seen", call: "c", child: "ses_child" } as const;
    if (childFirst) w.signal(child);
    w.signal({ type: "tool.running", call: "c", name: "task" });
    if (!childFirst) w.signal(child);
    w.signal({ type: "tool.done", call: "c", ok: true, metadata: { tokens: 7 } });
    const [, , done] = w.of("item.completed").map((event) => event.data.item);
    assert.partialDeepStrictEqual(done, { kind: "tool_call", child: "ses_child", metadata: { tokens: 7 } });
  }
});

test("a turn's end names the files that its tools changed, each once, also after a crash", () => {
  const change = (path: string, kind: "added" | "modified", diff: string) => ({ path, kind, diff });
  const run = (w: World, call: string, files: ReturnType<typeof change>[]): World => {
    w.signal({ type: "tool.running", call, name: "edit" });
    return w.signal({ type: "tool.done", call, ok: true, files });
  };
  const w = world().prompt("msg_1");
  run(w, "a", [change("new.md", "added", "+one\n+two\n"), change("old.md", "modified", "-x\n+y\n")]);
  run(w, "b", [change("new.md", "modified", "-two\n+2\n+3\n")]);
  const expected = [
    { path: "new.md", kind: "added", additions: 4, deletions: 1 },
    { path: "old.md", kind: "modified", additions: 1, deletions: 1 },
  ];
  const crashed = w.crashAfter(w.boundaries.length - 1);
  w.signal({ type: "turn.finished", reason: "end_turn" });
  for (const one of [w, crashed]) {
    assert.deepEqual(one.of("turn.ended").at(-1)?.data.files, expected);
    assert.deepEqual(one.session?.files, expected);
  }
  w.prompt("msg_2").signal({ type: "turn.finished", reason: "end_turn" });
  assert.equal(w.of("turn.ended").at(-1)?.data.files, undefined);
  assert.deepEqual(w.session?.files, expected);
});
