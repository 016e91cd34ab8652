import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { ToolDone } from "../../../src/core/ledger/signals.ts";
import { broken, played, said, setStage, update, words } from "./stage.ts";

const call = (facts: object) => update("tool_call", { toolCallId: "c", ...facts });
const news = (facts: object) => update("tool_call_update", { toolCallId: "c", ...facts });
const text = (words: string) => [{ type: "content", content: { type: "text", text: words } }];

describe("tool calls", () => {
  const cases: [name: string, steps: object[], done: Partial<ToolDone>][] = [
    ["completed at first sight", [call({ status: "completed", rawOutput: "out" })], { ok: true, output: "out" }],
    ["without a beginning", [news({ status: "completed", content: text("out") })], { ok: true, output: "out" }],
    [
      "whose later updates have no status",
      [
        call({ status: "pending", rawInput: {} }),
        news({ rawInput: { path: "x" } }),
        news({ status: "completed", rawOutput: { output: "o" } }),
      ],
      { ok: true, output: "o" },
    ],
    [
      "whose content is replaced",
      [call({ content: text("a") }), news({ content: text("b"), status: "completed" })],
      { output: "b" },
    ],
    [
      "with output beside it",
      [
        call({ kind: "execute", status: "in_progress", content: [{ type: "terminal", terminalId: "theirs" }] }),
        news({ _meta: { terminal_output_delta: { data: "a\n" } } }),
        news({ _meta: { terminal_output: { data: "b" } } }),
        news({ status: "failed", _meta: { terminal_exit: { exit_code: 2 } } }),
      ],
      { ok: false, output: "a\nb\n(exit code 2)" },
    ],
    [
      "whose later updates say nothing of what was told",
      [
        call({ title: "t", rawOutput: "o" }),
        news({ title: null, rawOutput: null, content: null, status: "completed" }),
      ],
      { ok: true, output: "o", title: "t" },
    ],
    ["that failed", [call({}), news({ status: "failed", rawOutput: { error: "no" } })], { ok: false, output: "no" }],
    ["with an unknown result", [call({}), news({ status: "completed", rawOutput: { a: 1 } })], { output: '{"a":1}' }],
  ];
  for (const [name, steps, done] of cases)
    test(`${name} are settled`, async (t) => {
      const { open } = await setStage(t);
      const watched = await open();
      await watched.turn(played(steps));
      const [told] = watched.all("tool.done");
      const names = Object.keys(done) as (keyof ToolDone)[];
      assert.deepEqual(Object.fromEntries(names.map((one) => [one, told?.[one]])), done);
      assert.equal(watched.all("tool.done").length, 1);
      assert.deepEqual(broken(watched.signals), []);
      await watched.session.close();
    });

  test("change files: a part of one is told with its place in the whole", async (t) => {
    const { open, directory } = await setStage(t);
    writeFileSync(join(directory, "a.txt"), "1\n2\n3\n4\nnew\n");
    const watched = await open();
    const path = join(directory, "a.txt");
    const content = [
      { type: "diff", path, oldText: "old", newText: "new" },
      { type: "diff", path: join(directory, "b.txt"), oldText: null, newText: "b\n" },
      { type: "content", content: { type: "image", mimeType: "image/png", data: "AA==" } },
    ];
    await watched.turn(played([call({ kind: "edit", status: "completed", content })]));
    const [told] = watched.all("tool.done");
    assert.deepEqual(
      told?.files?.map(({ path: name, kind }) => [name, kind]),
      [
        ["a.txt", "modified"],
        ["b.txt", "added"],
      ],
    );
    assert.match(told?.files?.[0]?.diff ?? "", /@@ -2,4 \+2,4 @@/);
    assert.deepEqual(
      (told?.content ?? []).map((one) => (one as { type: string }).type),
      ["image"],
    );
    await watched.session.close();
  });

  test("with an id that was used before are other calls", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    for (let turn = 0; turn < 2; turn++)
      await watched.turn(played([call({ status: "pending" }), news({ status: "completed", rawOutput: "x" })]));
    const keys = watched.all("tool.done").map((done) => done.call);
    assert.equal(new Set(keys).size, 2);
    await watched.session.close();
  });
});

describe("texts", () => {
  test("belong together by the message, and by what is between them", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const thought = update("agent_thought_chunk", { content: { type: "text", text: "hm" } });
    await watched.turn(
      played([
        words(""),
        words("a"),
        words("b"),
        thought,
        words("c"),
        call({ status: "completed" }),
        words("d"),
        words("e", { messageId: "m" }),
      ]),
    );
    const items = new Map<string, string>();
    for (const { item, delta } of watched.all("text")) items.set(item, (items.get(item) ?? "") + delta);
    assert.deepEqual([...items.values()], ["ab", "hm", "c", "d", "e"]);
    assert.deepEqual(broken(watched.signals), []);
    await watched.session.close();
  });

  test("after the turn's end are a note, and open no turn; a late title counts", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const late = [
      words("late "),
      words("words"),
      update("session_info_update", { title: "A title" }),
      call({ status: "completed", title: "x" }),
    ];
    await watched.prompt(played([words("in time")], undefined, late));
    await watched.until("a note", () => watched.all("note").length > 0);
    assert.equal(watched.all("note")[0]?.text, "late words");
    assert.equal(said(watched), "in time");
    await watched.until("the title", () => watched.all("session").some(({ title }) => title === "A title"));
    assert.equal(watched.all("tool.seen").length + watched.all("tool.running").length, 0);
    await watched.session.close();
  });

  test("a call after the turn's end is a note with its output when it is over", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const late = [
      call({ status: "in_progress", title: "npm test" }),
      news({ status: "completed", content: text("3 passed") }),
    ];
    await watched.prompt(played([words("in time")], undefined, late));
    await watched.until("a note", () => watched.all("note").length > 0);
    const [note] = watched.all("note");
    assert.deepEqual([note?.text, note?.code], ["npm test: completed\n3 passed", "outside_turn"]);
    assert.deepEqual(
      watched.types().filter((type) => type.startsWith("tool.")),
      [],
    );
    await watched.session.close();
  });
});

describe("a turn", () => {
  for (const [stopReason, reason] of [
    ["end_turn", "end_turn"],
    ["max_tokens", "max_tokens"],
    ["max_turn_requests", "max_turns"],
    ["refusal", "refusal"],
    ["cancelled", "cancelled"],
    ["something new", "end_turn"],
  ] as const)
    test(`that the agent ends with ${stopReason} ends with ${reason}`, async (t) => {
      const { open } = await setStage(t);
      const watched = await open();
      assert.equal((await watched.turn(played([], { stopReason }))).reason, reason);
      await watched.session.close();
    });

  test("that fails says why, and the next one is served", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const error = { code: -32603, message: "Internal error", data: { details: "the model is down" } };
    const ended = await watched.turn(played([words("a")], { error }));
    assert.equal(ended.reason, "error");
    assert.equal(ended.error?.message, "Internal error: the model is down");
    const login = await watched.turn(played([], { error: { code: -32000, message: "Authentication required" } }));
    assert.equal(login.error?.code, "auth_required");
    assert.equal((await watched.turn("count 2")).reason, "end_turn");
    await watched.session.close();
  });

  test("counts tokens once and the cost as what was added", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const spent = (amount: number) =>
      update("usage_update", { used: 10, size: 100, cost: { amount, currency: "USD" } });
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedReadTokens: 4, thoughtTokens: 2 };
    const first = await watched.turn(played([spent(0.5)], { stopReason: "end_turn", usage }));
    const second = await watched.turn(played([spent(0.5), spent(0.75)], { stopReason: "end_turn" }));
    assert.deepEqual(first.usage?.tokens, { input: 6, output: 5, reasoning: 2, cacheRead: 4, cacheWrite: 0 });
    assert.deepEqual([first.usage?.cost, second.usage?.cost], [0.5, 0.25]);
    assert.deepEqual(second.usage?.context, { used: 10, size: 100 });
    await watched.session.close();
  });

  test("counts no numbers that are no counts", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const odd = [-1, 1.5, 1e308, -1e308];
    const spent = odd.map((value) =>
      update("usage_update", { used: value, size: value, cost: { amount: value * 1e10, currency: "USD" } }),
    );
    const usage = { inputTokens: 1e308, outputTokens: -5, totalTokens: 1.5, cachedReadTokens: 1e300, thoughtTokens: 2 };
    const ended = await watched.turn(played(spent, { stopReason: "end_turn", usage }));
    assert.equal(ended.usage?.context, undefined);
    assert.equal(ended.usage?.cost, undefined);
    const { tokens } = ended.usage ?? {};
    assert.deepEqual(tokens, { input: 0, output: 0, reasoning: 2, cacheRead: 0, cacheWrite: 0 });
    await watched.session.close();
  });

  test("takes in plans, notices and compactions, and passes over what it does not know", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const entries = [{ content: "do it", status: "in_progress", priority: "high" }];
    await watched.turn(
      played([
        update("plan", { entries }),
        update("notice", { severity: "warning", title: "Careful", description: "really" }),
        update("compaction_update", { compactionId: "1", status: "in_progress" }),
        update("compaction_update", { compactionId: "1", status: "completed" }),
        update("something_new", { a: 1 }),
        {
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "theirs" } },
          session: "other",
        },
      ]),
    );
    assert.deepEqual(watched.all("plan")[0]?.entries, [{ text: "do it", status: "in_progress", priority: "high" }]);
    assert.deepEqual(
      watched.all("note").map(({ level, text: said }) => [level, said]),
      [
        ["warn", "Careful\nreally"],
        ["info", "the conversation was compacted"],
      ],
    );
    assert.deepEqual(
      watched.all("status").map(({ status }) => status),
      ["compacting", "compacting", "running"],
    );
    assert.equal(said(watched), "");
    await watched.session.close();
  });

  for (const [status, note, summary] of [
    ["completed", ["info", "the conversation was compacted", "compaction"], "We spoke of\nthe sea."],
    ["failed", ["error", "no room", "compaction_failed"], ""],
    ["cancelled", ["info", "the compaction was stopped", "compaction_stopped"], ""],
  ] as const)
    test(`tells the summary of a compaction that comes piece by piece only where it is completed: ${status}`, async (t) => {
      const { open } = await setStage(t);
      const watched = await open();
      const piece = (text: string, compactionId = "1") =>
        update("compaction_summary_chunk", { compactionId, content: { type: "text", text } });
      const end = update("compaction_update", { compactionId: "1", status, error: "no room" });
      await watched.turn(played([piece("We spoke of\n"), piece("other", "2"), piece("the sea."), end]));
      assert.deepEqual(
        watched.all("note").map(({ level, text, code }) => [level, text, code]),
        [note],
      );
      const ofSummary = summary === "" ? [] : ["step.begun", "text", "text.done", "step.finished"];
      assert.deepEqual(
        watched.types().filter((type) => /^(?:status|note|text.*|step.*)$/.test(type)),
        ["status", "status", ...ofSummary, "note", "status"],
      );
      assert.deepEqual(watched.all("status").at(-1)?.status, "running");
      assert.deepEqual([said(watched), watched.all("step.begun")[0]?.summary ?? false], [summary, summary !== ""]);
      assert.deepEqual(broken(watched.signals), []);
      await watched.session.close();
    });

  test("survives noise, and tells of it", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "heard" } };
    const line = JSON.stringify({
      jsonrpc: "2.0",
      method: "session/update",
      params: { sessionId: "sess-stand-in", update: chunk },
    });
    const noise = ["Loading…", "42", "null", "[]", "{}", '"text"', "{broken", `\u001b[32m${line}`, "x".repeat(300_000)];
    const twice = { jsonrpc: "2.0", id: 1, result: { protocolVersion: 9 } };
    await watched.turn(played([...noise.map((one) => ({ line: one })), { line: JSON.stringify(twice) }]));
    assert.equal(said(watched), "heard");
    assert.ok(watched.all("unparsed").length > 0);
    assert.equal((await watched.turn("count 1")).reason, "end_turn");
    await watched.session.close();
  });

  test("takes further words by steering where the agent can, and as a further prompt otherwise", async (t) => {
    for (const supported of [true, false]) {
      const initialize = { protocolVersion: 1, agentCapabilities: {}, _meta: { steering: { supported } } };
      const { open } = await setStage(t, { initialize, "_session/steering": { outcome: "injected" } });
      const watched = await open();
      await watched.prompt(played([words("begun "), { until: "session/cancel" }]));
      await watched.until("a word", () => said(watched) !== "");
      await watched.steer("count 2");
      await watched.session.cancel();
      await watched.until("the end", () => watched.all("turn.finished").length === 1);
      await watched.session.close();
    }
    const { open } = await setStage(t);
    const watched = await open();
    await watched.prompt(
      played([
        { request: { method: "elicitation/create", params: { mode: "form", message: "?", requestedSchema: {} } } },
      ]),
    );
    await watched.until("a question", () => watched.all("question").length === 1);
    await watched.steer("count 2");
    const ask = watched.all("question")[0]?.ask ?? "";
    await watched.session.answer(ask, { kind: "question", outcome: "rejected" });
    await watched.until("the end", () => watched.all("turn.finished").length === 1);
    assert.equal(said(watched), "1 2 ");
    await watched.session.close();
  });

  test("that is stopped before the agent has it never begins there", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const prompted = watched.prompt("count 3");
    await watched.session.cancel();
    await prompted;
    await watched.until("the end", () => watched.all("turn.finished").length === 1);
    assert.equal(watched.all("turn.finished")[0]?.reason, "cancelled");
    assert.equal((await watched.turn("count 1")).reason, "end_turn");
    await watched.session.close();
  });
});
