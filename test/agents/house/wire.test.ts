import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findModels, type WireFormat } from "../../../src/agents/house/model/models.ts";
import { type Script, type ScriptedModel, startScriptedModel } from "../../../src/testing/index.ts";
import { answers, calls, completed, endOf, type HouseRig, houseRig, ofType } from "./support.ts";

const FORMATS: readonly WireFormat[] = ["messages", "responses", "chat"];

/** The reasoning that must be in the request after a step with it, by format. */
const GIVEN_BACK: Record<WireFormat, RegExp[]> = {
  messages: [/"type":"thinking","thinking":"Hm\.","signature":/, /"cache_control":/, /"max_tokens":777/],
  responses: [/"type":"reasoning".*"encrypted_content":/, /"store":false/, /"max_output_tokens":777/],
  chat: [/"max_tokens":777/],
};

const FATAL = [
  ["forbidden", "model_auth"],
  ["bad", "model_failed"],
] as const;

const script: Script = {
  prompts: {
    edit: [
      {
        text: "I look.",
        tools: [
          { name: "read", input: { path: "a.txt" } },
          { name: "glob", input: { pattern: "*.txt" } },
        ],
      },
      { tools: [{ name: "edit", input: { path: "a.txt", old: "one", new: "two" } }] },
      { text: "Changed.", usage: { input: 11, cacheRead: 5, output: 7 } },
    ],
    busy: [{ fail: { status: 429, headers: { "retry-after-ms": "5" }, times: 2 }, text: "Here at last." }],
    down: [{ fail: [{ status: 500 }, { status: 503 }], text: "Up again." }],
    cut: [{ fail: { cut: "text", times: 1 }, text: ["Half of ", "the answer, ", "then the rest."] }],
    "cut-clean": [{ fail: { cut: "text", clean: true, times: 1 }, text: ["Half of ", "the answer."] }],
    "cut-start": [{ fail: { cut: "start", times: 1 }, text: "Hello." }],
    "cut-open": [{ fail: { cut: "open", clean: true, times: 1 }, text: "Hello." }],
    "cut-end": [{ fail: { cut: "end", times: 1 }, text: "Hello." }],
    "cut-call": [
      { fail: { cut: "tool", times: 1 }, text: "I look.", tools: [{ name: "read", input: { path: "a.txt" } }] },
      { text: "Seen." },
    ],
    overloaded: [
      { fail: { error: "overloaded_error", at: "text", message: "Overloaded", times: 1 }, text: "Calm again." },
    ],
    forbidden: [{ fail: { status: 401 } }],
    bad: [{ fail: { status: 400, message: "This prompt always fails." } }],
    always: [{ fail: { status: 529 } }],
    hang: [{ fail: { hang: "text" }, text: ["It begins ", "and stops."] }],
    refusal: [{ text: "No.", stop: "refusal" }],
    length: [{ text: "Too lo", stop: "length" }],
    think: [
      { reasoning: "Hm.", text: "I look.", tools: [{ name: "glob", input: { pattern: "*" } }] },
      { text: "Nothing there.", usage: { input: 3, output: 9, reasoning: 4 } },
    ],
    "*": [{ text: "Hello." }],
  },
};

interface Wire extends HouseRig {
  server: ScriptedModel;
}

async function wire(t: TestContext, format: WireFormat): Promise<Wire> {
  const server = await startScriptedModel({ script });
  t.after(() => server.close());
  const endpoints = { test: { url: server.url, format, models: [{ id: "scripted", context: 100_000, output: 777 }] } };
  return { ...(await houseRig(t, { models: findModels({}, { endpoints }) })), server };
}

for (const format of FORMATS) {
  test(`${format}: reads and edits, with tools side by side`, async (t) => {
    const made = await wire(t, format);
    await writeFile(join(made.work, "a.txt"), "one\n");
    const turn = await made.start("[[edit]]");
    const { data } = await made.asked();
    await made.gateway.answer(made.session, data.ask, { kind: "permission", outcome: "once" }, "test");
    const events = await made.over(turn);
    assert.deepEqual(answers(events), ["I look.", "Changed."]);
    assert.equal(await readFile(join(made.work, "a.txt"), "utf8"), "two\n");
    assert.deepEqual(
      calls(events)
        .map(({ name, status, step }) => `${step} ${name} ${status}`)
        .toSorted(),
      ["1 glob completed", "1 read completed", "2 edit completed"],
    );
    assert.deepEqual(
      made.server.requests.map(({ step }) => step),
      [0, 1, 2],
    );
    const last = ofType(events, "step.ended").at(-1)?.data.usage;
    assert.deepEqual([last?.tokens?.output, last?.tokens?.cacheRead, last?.context?.size], [7, 5, 100_000]);
  });

  test(`${format}: 429, 429, then an answer: two retries are shown, and one answer`, async (t) => {
    const { turn } = await wire(t, format);
    const events = await turn("[[busy]]");
    const retries = ofType(events, "turn.status").flatMap(({ data }) => (data.status === "retrying" ? [data] : []));
    assert.deepEqual(
      retries.map(({ attempt }) => attempt),
      [1, 2],
    );
    for (const { message, next } of retries) assert.ok(/429/.test(message) && next > 0, message);
    assert.deepEqual(answers(events), ["Here at last."]);
    assert.equal(ofType(events, "step.started").length, 1);
  });

  test(`${format}: a server that is down is tried again`, async (t) => {
    const { turn } = await wire(t, format);
    assert.deepEqual(answers(await turn("[[down]]")), ["Up again."]);
  });

  for (const marker of ["cut", "cut-clean", "cut-start", "cut-open", "cut-end", "overloaded"]) {
    test(`${format}: ${marker}: what was half said is taken back, and said once`, async (t) => {
      const { turn } = await wire(t, format);
      const events = await turn(`[[${marker}]]`);
      assert.equal(answers(events).length, 1, JSON.stringify(answers(events)));
      assert.equal(ofType(events, "turn.status").filter(({ data }) => data.status === "retrying").length, 1);
      const said = completed(events, "message").filter(({ role }) => role === "assistant");
      assert.ok(said.slice(0, -1).every(({ status }) => status === "retracted"));
      assert.equal(endOf(events).reason, "end_turn");
    });
  }

  test(`${format}: a stream cut within a call settles the call, and the call is made again`, async (t) => {
    const made = await wire(t, format);
    await writeFile(join(made.work, "a.txt"), "one\n");
    const events = await made.turn("[[cut-call]]");
    assert.deepEqual(answers(events).at(-1), "Seen.");
    assert.equal(calls(events).filter(({ status }) => status === "completed").length, 1);
  });

  for (const [marker, code] of FATAL) {
    test(`${format}: ${marker} ends the turn once, with one error and no retry`, async (t) => {
      const { turn, server } = await wire(t, format);
      const events = await turn(`[[${marker}]]`);
      assert.deepEqual([endOf(events).reason, endOf(events).error?.code], ["error", code]);
      assert.equal(ofType(events, "error").length, 1);
      assert.equal(ofType(events, "turn.status").length, 0);
      assert.equal(server.requests.length, 1);
    });
  }

  test(`${format}: reasoning is shown, and given back to the model that signed it`, async (t) => {
    const { turn, server } = await wire(t, format);
    const events = await turn("[[think]]");
    assert.deepEqual(
      completed(events, "reasoning").map((item) => item.text),
      ["Hm."],
    );
    const body = JSON.stringify(server.requests[1]?.body);
    for (const wanted of GIVEN_BACK[format]) assert.match(body, wanted);
    if (format !== "messages") assert.equal(ofType(events, "step.ended").at(-1)?.data.usage?.tokens?.reasoning, 4);
  });

  test(`${format}: a server that never recovers ends the turn once, after its attempts`, async (t) => {
    const made = await wire(t, format);
    const events = await made.turn("[[always]]");
    assert.equal(endOf(events).reason, "error");
    assert.equal(ofType(events, "error").length, 1);
    assert.equal(made.server.requests.length, 4);
  });

  test(`${format}: a cancel while the model hangs ends the turn and the connection`, async (t) => {
    const made = await wire(t, format);
    const turn = await made.start("[[hang]]");
    await made.until(made.session, (event) => event.type === "item.delta");
    await made.gateway.cancel(made.session, { queue: "clear" });
    assert.equal(endOf(await made.over(turn)).reason, "cancelled");
    await made.server.until(() => made.server.requests[0]?.outcome === "left");
  });

  test(`${format}: a refusal and a full answer say why they end`, async (t) => {
    const { turn } = await wire(t, format);
    assert.equal(endOf(await turn("[[length]]")).reason, "max_tokens");
    assert.equal(endOf(await turn("[[refusal]]")).reason, "refusal");
  });
}
