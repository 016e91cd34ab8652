import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newDecodeState } from "../../../src/agents/claude/decode/state.ts";
import { gaveBack, stopsWaiting, wasRead } from "../../../src/agents/claude/decode/written.ts";
import { decodeLine } from "../../../src/agents/claude/decode.ts";
import * as line from "./lines.ts";
import { ends, read, signals, types, writing, wrote } from "./reading.ts";

describe("the turn", () => {
  test("ends with result, and the idle after it ends nothing again", () => {
    assert.deepEqual(ends(line.state("running"), line.init(), line.result(), line.state("idle")), ["end_turn"]);
  });

  test("of a background task is the agent's own", () => {
    const second = line.result({ origin: { kind: "task-notification" } });
    const told = types(line.init(), line.result(), line.state("idle"), line.init(), second, line.state("idle"));
    assert.deepEqual(told, ["session", "turn.begun", "turn.finished", "session", "turn.begun", "turn.finished"]);
  });

  test("goes on while a line that was given to it has not been taken up", () => {
    const steered = [line.init(), line.state("running"), wrote("p"), line.replayed("p"), wrote("s")];
    assert.deepEqual(ends(...steered, line.result()), []);
    assert.deepEqual(ends(...steered, line.result(), line.init(), line.replayed("s"), line.result()), ["end_turn"]);
    assert.deepEqual(ends(...steered, line.replayed("s"), line.result()), ["end_turn"], "folded into the turn");
    assert.deepEqual(ends(...steered, line.result(), line.state("idle")), ["end_turn"], "a command is never echoed");
  });

  test("is not over for a program that was idle before it read what it was given", () => {
    const task = line.result({ origin: { kind: "task-notification" } });
    const steps = [line.state("running"), line.init(), writing("p"), task, line.state("idle")];
    assert.deepEqual(ends(...steps), []);
    assert.deepEqual(ends(...steps, line.state("running"), line.init(), line.replayed("p"), line.result()), [
      "end_turn",
    ]);
    const { state, said } = wasRead(read(...steps).state, "p", 0);
    assert.deepEqual([state.turn, said.map(({ signal }) => signal.type)], [null, ["turn.finished"]]);
    const running = read(...steps, line.state("running")).state;
    assert.deepEqual(wasRead(running, "p", 0).said, []);
  });

  test("that is stopped waits for nothing", () => {
    const steps = [line.state("running"), line.init(), wrote("p"), wrote("s"), stopsWaiting];
    const aborted = line.result({
      subtype: "error_during_execution",
      is_error: true,
      terminal_reason: "aborted_tools",
    });
    assert.deepEqual(ends(...steps, aborted), ["cancelled"]);
  });

  test("of a prompt that was given back ends at once, one that runs does not", () => {
    const waiting = read(line.state("idle"), wrote("p"), stopsWaiting).state;
    assert.deepEqual(gaveBack(waiting, 0).said, [{ signal: { type: "turn.finished", reason: "cancelled" } }]);
    assert.deepEqual(gaveBack(read(line.init()).state, 0).said, []);
  });

  test("of a program that says nothing of its state ends with its result", () => {
    assert.deepEqual(ends(line.init(), wrote("p"), line.result()), ["end_turn"]);
  });

  test("that only an idle ends, ends", () => {
    assert.deepEqual(ends(line.init(), line.state("idle")), ["end_turn"]);
  });

  const table: [string, line.Line, string, string?][] = [
    ["success", {}, "end_turn"],
    ["max tokens", { stop_reason: "max_tokens" }, "max_tokens"],
    ["refusal", { is_error: true, stop_reason: "refusal" }, "refusal"],
    ["max turns", { subtype: "error_max_turns", is_error: true, terminal_reason: "max_turns" }, "max_turns"],
    ["interrupt while streaming", { is_error: true, terminal_reason: "aborted_streaming" }, "cancelled"],
    ["interrupt in a tool", { is_error: true, terminal_reason: "aborted_tools" }, "cancelled"],
    ["an API error behind success", { is_error: true, result: "API Error: 400 x" }, "error", "API Error: 400 x"],
    ["too long", { is_error: true, terminal_reason: "prompt_too_long", result: "too long" }, "error", "too long"],
    ["budget", { subtype: "error_max_budget_usd", is_error: true, errors: ["spent"] }, "error", "spent"],
    ["a kind of the future", { subtype: "error_new", is_error: true }, "error"],
  ];
  for (const [name, extra, reason, message] of table) {
    test(`ends as ${reason}: ${name}`, () => {
      const end = signals(line.init(), line.result(extra)).at(-1);
      assert.ok(end?.type === "turn.finished");
      assert.equal(end.reason, reason);
      if (message !== undefined) assert.equal(end.error?.message, message);
      assert.equal(end.error !== undefined, reason === "error");
    });
  }

  test("never shows the program's diagnostics", () => {
    const extra = { subtype: "error_during_execution", is_error: true, errors: ["[ede_diagnostic] result_type=user"] };
    assert.doesNotMatch(JSON.stringify(signals(line.init(), line.result(extra))), /ede_diagnostic/);
  });

  test("survives an error of the model in its middle", () => {
    const steps = [
      line.init(),
      line.modelError("server_error", "API Error: Connection closed"),
      line.messageStart("m2"),
    ];
    assert.deepEqual(ends(...steps), []);
    assert.deepEqual(ends(...steps, line.result()), ["end_turn"]);
  });

  test("costs what its totals grew by", () => {
    const used = (tokens: number, dollars: number): line.Line => ({
      total_cost_usd: dollars,
      modelUsage: {
        a: { inputTokens: tokens, outputTokens: 1, costUSD: dollars },
        b: { inputTokens: 5, outputTokens: tokens },
      },
    });
    const share = (input: number, output: number, cost?: number) => ({
      tokens: { input, output, cacheRead: 0, cacheWrite: 0 },
      ...(cost === undefined ? {} : { cost }),
    });
    const told = signals(line.init(), line.result(used(10, 0.1)), line.init(), line.result(used(30, 0.3)));
    const usages = told.flatMap((signal) => (signal.type === "turn.finished" ? [signal.usage] : []));
    assert.deepEqual(usages, [
      { ...share(15, 11, 0.1), models: { a: share(10, 1, 0.1), b: share(5, 10) } },
      { ...share(20, 20, 0.2), models: { a: share(20, 0, 0.2), b: share(0, 20) } },
    ]);
  });
});

describe("texts and calls", () => {
  const half = [line.init(), line.messageStart("m1"), line.blockStart(0, line.text("")), line.textDelta(0, "hal")];

  test("the whole block comes before its stop and is the one that counts", () => {
    const told = signals(...half, line.assistant("m1", line.text("half")), line.blockStop(0));
    assert.deepEqual(told.slice(-2), [
      { type: "text", item: "m1:0", kind: "message", role: "assistant", delta: "hal" },
      { type: "text.done", item: "m1:0", kind: "message", role: "assistant", text: "half" },
    ]);
  });

  test("a half text is taken back when the answer comes whole under another id", () => {
    const told = signals(...half, line.assistant("m2", line.text("whole"), {}));
    assert.ok(told.some((signal) => signal.type === "text.retracted" && signal.item === "m1:0"));
    assert.ok(told.some((signal) => signal.type === "text.done" && signal.text === "whole"));
  });

  test("so it is when the answer is streamed anew, and a half call fails", () => {
    const call = [line.blockStart(1, line.toolUse("t1", "Bash", {})), line.inputDelta(1, '{"comm')];
    const told = signals(...half, ...call, line.messageStart("m2"));
    assert.ok(told.some((signal) => signal.type === "text.retracted"));
    assert.ok(told.some((signal) => signal.type === "tool.done" && signal.call === "t1" && !signal.ok));
  });

  test("an error that the program adds leaves the half text as it is", () => {
    assert.ok(!types(...half, line.modelError("unknown", "API Error: Overloaded")).includes("text.retracted"));
  });

  test("a result may come while the message still streams", () => {
    const use = line.toolUse("t1", "Read", { file_path: "/project/a" });
    const told = types(
      ...half,
      line.blockStart(1, use),
      line.assistant("m1", use),
      line.toolResult("t1", "done"),
      line.textDelta(0, "f"),
    );
    assert.deepEqual(told.slice(-4), ["tool.seen", "tool.running", "tool.done", "text"]);
  });

  test("results become changes of files with unified diffs", () => {
    const use = line.assistant("m1", line.toolUse("t1", "Edit", { file_path: "/project/a.txt" }));
    const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: [" a", "+b"] }];
    const account = { filePath: "/project/a.txt", structuredPatch: patch, originalFile: "a\n" };
    const done = signals(line.init(), use, line.toolResult("t1", "ok", {}, account)).at(-1);
    assert.ok(done?.type === "tool.done");
    const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n a\n+b\n";
    assert.deepEqual(done.files, [{ path: "a.txt", kind: "modified", diff, additions: 1, deletions: 0 }]);
  });

  test("a change of which lines are missing is told as cut, whatever is missing", () => {
    const use = line.assistant("m1", line.toolUse("t1", "Edit", { file_path: "/project/a.txt" }));
    const cutOf = (account: object): unknown => {
      const done = signals(line.init(), use, line.toolResult("t1", "ok", {}, account)).at(-1);
      assert.ok(done?.type === "tool.done");
      return done.files?.[0]?.cut;
    };
    const patch = (lines: string[]): object => ({
      filePath: "/project/a.txt",
      structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines }],
    });
    const left = "(… 4711 bytes left out …)";
    assert.equal(cutOf(patch([" a", "-b", "+c", "\\ No newline at end of file"])), undefined);
    assert.deepEqual(cutOf(patch([" a", "-b"])), { characters: 2 });
    assert.deepEqual(cutOf(patch([" a", "-b", `+c\n${left}`])), { characters: 2 });
    const created = { type: "create", filePath: "/project/n", originalFile: null, structuredPatch: [] };
    assert.deepEqual(cutOf({ ...created, content: `x\n${left}` }), { characters: 4711 });
  });

  test("a new file is all additions, and one without a line feed at its end says so", () => {
    const use = line.assistant("m1", line.toolUse("t1", "Write", { file_path: "/project/n" }));
    const account = {
      type: "create",
      filePath: "/project/n",
      content: "x\ny",
      structuredPatch: [],
      originalFile: null,
    };
    const done = signals(line.init(), use, line.toolResult("t1", "ok", {}, account)).at(-1);
    assert.ok(done?.type === "tool.done");
    const diff = "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n";
    assert.deepEqual(done.files, [{ path: "n", kind: "added", diff, additions: 2, deletions: 0 }]);
  });

  test("an answer that comes only with the result is said", () => {
    const told = signals(line.init(), line.result({ result: "42" }));
    assert.ok(told.some((signal) => signal.type === "text.done" && signal.text === "42"));
  });
});

describe("asks", () => {
  test("a withdrawn one is withdrawn once", () => {
    const asked = line.ask("r1", "Bash", { command: "touch x" });
    const cancel = { type: "control_cancel_request", request_id: "r1" };
    assert.deepEqual(types(line.init(), asked, cancel, cancel).slice(2), ["permission", "ask.withdrawn"]);
  });

  test("questions and plans are questions", () => {
    const questions = [{ question: "Which?", header: "H", options: [{ label: "A" }], multiSelect: true }];
    const [question, plan] = signals(
      line.ask("q", "AskUserQuestion", { questions }),
      line.ask("p", "ExitPlanMode", { plan: "1. Do" }),
    );
    assert.ok(question?.type === "question" && plan?.type === "question");
    assert.deepEqual(question.questions, [
      { question: "Which?", header: "H", options: [{ label: "A" }], multiple: true, custom: true },
    ]);
    assert.equal(plan.kind, "plan");
    assert.deepEqual(plan.metadata, { plan: "1. Do" });
  });

  test("a request that only a program could answer is handed back", () => {
    const decoded = decodeLine(
      newDecodeState("/"),
      JSON.stringify({ type: "control_request", request_id: "1", request: { subtype: "hook_callback" } }),
      0,
    );
    assert.deepEqual(decoded.foreign, { id: "1", subtype: "hook_callback" });
  });
});

test("a rate limit is told as a fact, and as a note when it is near", () => {
  const read = (info: object): unknown[] =>
    decodeLine(newDecodeState("/"), JSON.stringify({ type: "rate_limit_event", rate_limit_info: info }), 0).said.map(
      ({ signal }) => signal,
    );
  assert.deepEqual(read({ status: "allowed", rateLimitType: "five_hour", resetsAt: 1_800_000_000 }), [
    { type: "limits", limits: [{ id: "five_hour", status: "allowed", resets: 1_800_000_000_000 }] },
  ]);
  assert.deepEqual(read({ status: "allowed_warning", rateLimitType: "seven_day", utilization: 0.83 }), [
    { type: "limits", limits: [{ id: "seven_day", status: "warning", used: 83 }] },
    { type: "note", level: "warn", code: "rate_limit", text: "the account's rate limit: allowed_warning" },
  ]);
});

describe("lines that cannot be read", () => {
  const noise = (value: string): unknown => decodeLine(newDecodeState("/"), value, 0).noise;
  test("is told", () => {
    assert.equal(noise("Segmentation fault"), "not_json");
    assert.equal(noise("[1]"), "not_an_object");
    assert.equal(noise('{"type":"of the future"}'), "unknown_type");
    assert.equal(noise('{"type":"system","subtype":"of the future"}'), "unknown_type");
    assert.equal(noise("  "), undefined);
    assert.equal(noise('{"type":"keep_alive"}'), undefined);
  });
});
