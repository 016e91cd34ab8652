import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findModels, type WireFormat } from "../../../../src/agents/house/model/models.ts";
import { type Script, type ScriptedModel, startScriptedModel } from "../../../../src/testing/index.ts";
import { answers, calls, completed, endOf, type HouseRig, houseRig, ofType } from "../support.ts";

const FORMATS: readonly WireFormat[] = ["messages", "responses", "chat"];
const HOURS = { "retry-after": "7200" };
const read = (id?: string) => ({ name: "read", input: { path: "a.txt" }, ...(id ? { id } : {}) });
const find = (id?: string) => ({ name: "glob", input: { pattern: "*" }, ...(id ? { id } : {}) });

const script: Script = {
  prompts: {
    "too-long": [{ fail: { status: 400, message: "prompt is too long: 215000 tokens > 200000 maximum" } }],
    full: [{ text: "The last wor", stop: "context" }],
    hours: [{ fail: { status: 429, headers: HOURS } }],
    garbled: [{ text: "I look.", tools: [{ name: "read", input: '{"path": "a.tx' }] }, { text: "Sorry." }],
    twice: [{ tools: [read("same"), find("same")] }, { text: "Seen." }],
    strange: [{ tools: [{ name: "no such/tool", input: {}, id: "functions.read:0" }] }, { text: "Seen." }],
    "cut-second": [
      { fail: { cut: "tool", times: 1 }, text: "I look.", tools: [read("one"), find("two")] },
      { text: "Seen." },
      { text: "Seen again." },
    ],
    interleaved: [{ parts: [{ reasoning: "Hm." }, { text: "One." }, { reasoning: "Hm?" }, { text: "Two." }] }],
    thought: [{ reasoning: "Hm." }],
    blank: [{ text: ["\n", " "] }],
    silent: [{ stop: "end" }],
    "*": [{ text: "Hello." }],
  },
};

interface Wire extends HouseRig {
  server: ScriptedModel;
}

async function wire(t: TestContext, format: WireFormat): Promise<Wire> {
  const server = await startScriptedModel({ script });
  t.after(() => server.close());
  const endpoints = { test: { url: server.url, format, models: [{ id: "scripted" }] } };
  const made = await houseRig(t, { models: findModels({}, { endpoints }) });
  await writeFile(join(made.work, "a.txt"), "one\n");
  return { ...made, server };
}

for (const format of FORMATS) {
  test(`${format}: a conversation that is too long ends the turn once and says what to do`, async (t) => {
    const made = await wire(t, format);
    const events = await made.turn("[[too-long]]");
    const { reason, error } = endOf(events);
    assert.deepEqual([reason, error?.code], ["error", "context_full"]);
    assert.match(error?.message ?? "", /start a new session, or choose a model with a larger context/);
    assert.equal(ofType(events, "turn.status").filter(({ data }) => data.status === "retrying").length, 0);
  });

  test(`${format}: a server that asks to wait for hours ends the turn`, async (t) => {
    const made = await wire(t, format);
    const { reason, error } = endOf(await made.turn("[[hours]]"));
    assert.deepEqual([reason, error?.code], ["error", "model_rate_limited"]);
    assert.match(error?.message ?? "", /120 minutes/);
  });

  for (const [marker, names] of [
    ["garbled", ["read failed"]],
    ["twice", ["glob completed", "read completed"]],
    ["strange", ["no such/tool failed"]],
  ] as const) {
    test(`${format}: ${marker}: the turn goes on, and so does the session`, async (t) => {
      const made = await wire(t, format);
      const events = await made.turn(`[[${marker}]]`);
      assert.deepEqual(
        calls(events)
          .map(({ name, status }) => `${name} ${status}`)
          .sort(),
        names,
      );
      assert.equal(endOf(events).reason, "end_turn");
      assert.deepEqual(answers(await made.turn("again")), ["Hello."]);
    });
  }

  test(`${format}: a stream cut in its second call keeps what the first has done, and says nothing twice`, async (t) => {
    const made = await wire(t, format);
    const events = await made.turn("[[cut-second]]");
    const reads = calls(events).filter(({ name, status }) => name === "read" && status === "completed");
    assert.equal(reads.length, 1);
    assert.equal(answers(events).filter((words) => words === "I look.").length, 1);
    assert.equal(endOf(events).reason, "end_turn");
  });

  test(`${format}: thoughts and words that take turns are told apart`, async (t) => {
    const made = await wire(t, format);
    const events = await made.turn("[[interleaved]]");
    assert.deepEqual(answers(events), ["One.", "Two."]);
    assert.deepEqual(
      completed(events, "reasoning").map(({ text }) => text),
      ["Hm.", "Hm?"],
    );
  });

  for (const marker of ["thought", "blank", "silent"]) {
    test(`${format}: an answer of ${marker} does not spoil the next`, async (t) => {
      const made = await wire(t, format);
      assert.equal(endOf(await made.turn(`[[${marker}]]`)).reason, "end_turn");
      assert.equal(endOf(await made.turn("again")).reason, "end_turn");
    });
  }
}

test("messages: a model that stops because its context is full, whatever is asked of it, says so with what it had said", async (t) => {
  const made = await wire(t, "messages");
  const events = await made.turn("[[full]]");
  assert.equal(answers(events)[0], "The last wor");
  assert.deepEqual([endOf(events).reason, endOf(events).error?.code], ["error", "context_full"]);
});
