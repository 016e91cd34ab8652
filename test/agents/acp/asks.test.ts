import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TURN_STOPPED } from "../../../src/core/ledger/asks.ts";
import type { Answer } from "../../../src/core/ledger/signals.ts";
import { played, said, setStage, update } from "./stage.ts";

const CALL = { toolCallId: "c1", title: "rm x", kind: "execute", rawInput: { command: "rm x" } };
const option = (kind: string, name: string = kind) => ({ optionId: `the ${kind}`, kind, name });
const ALL = ["allow_always", "allow_once", "reject_always", "reject_once"].map((kind) => option(kind));

const permission = (toolCall: object = CALL, options: object[] = ALL) => ({
  request: { method: "session/request_permission", params: { toolCall, options } },
  tellAnswer: true,
});
const form = (params: object) => ({ request: { method: "elicitation/create", params }, tellAnswer: true });

const once: Answer = { kind: "permission", outcome: "once" };
const reject: Answer = { kind: "permission", outcome: "reject" };

describe("permissions", () => {
  for (const [answer, options, expected] of [
    [once, ALL, "the allow_once"],
    [{ kind: "permission", outcome: "always" }, ALL, "the allow_once"],
    [once, [option("allow_always"), option("reject_once")], "the allow_always"],
    [reject, ALL, "the reject_once"],
    [reject, [option("reject_always")], "the reject_always"],
    [reject, [option("allow_once")], undefined],
    [{ ...reject, feedback: TURN_STOPPED }, ALL, undefined],
  ] as const) {
    test(`${JSON.stringify(answer)} of ${options.length} options is ${expected ?? "cancelled"}`, async (t) => {
      const { open } = await setStage(t);
      const watched = await open();
      await watched.prompt(played([permission(CALL, [...options])]));
      await watched.until("a permission", () => watched.all("permission").length === 1);
      const [asked] = watched.all("permission");
      assert.equal(asked?.action, "bash");
      assert.equal(asked?.command, "rm x");
      await watched.session.answer(asked?.ask ?? "", answer);
      await watched.until("the end", () => watched.all("turn.finished").length === 1);
      const told = JSON.parse(said(watched)) as { outcome: { outcome: string; optionId?: string } };
      assert.deepEqual(told.outcome, expected ? { outcome: "selected", optionId: expected } : { outcome: "cancelled" });
      await watched.session.close();
    });
  }

  test("one of a call that was not told before tells of it, and a refusal ends it with the turn", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    await watched.prompt(played([permission()], { stopReason: "cancelled" }));
    await watched.until("a permission", () => watched.all("permission").length === 1);
    const [asked] = watched.all("permission");
    assert.equal(asked?.call, watched.all("tool.seen")[0]?.call);
    await watched.session.answer(asked?.ask ?? "", reject);
    await watched.until("the end", () => watched.all("turn.finished").length === 1);
    assert.equal(watched.all("tool.done")[0]?.error?.code, "rejected");
    assert.equal(watched.all("turn.finished")[0]?.reason, "end_turn", "a refusal is no stop of the user's");
    await watched.session.close();
  });

  test("are all cancelled when the turn is stopped, and the end is cancelled", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const more = { ...permission({ ...CALL, toolCallId: "c2" }), request: { ...permission().request, wait: false } };
    await watched.prompt(played([more, permission()], { stopReason: "cancelled" }));
    await watched.until("two permissions", () => watched.all("permission").length === 2);
    await watched.session.cancel();
    await watched.until("the end", () => watched.all("turn.finished").length === 1);
    assert.match(said(watched), /"cancelled"/);
    assert.equal(watched.all("turn.finished")[0]?.reason, "cancelled");
    assert.equal((await watched.turn("count 3")).reason, "end_turn");
    await watched.session.close();
  });

  test("outside of a turn are refused with a note, and open no turn", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    await watched.prompt(played([], undefined, [permission()]));
    await watched.until("a note", () => watched.all("note").length > 0);
    assert.equal(watched.all("permission").length, 0);
    assert.match(watched.all("note")[0]?.text ?? "", /outside of a turn/);
    await watched.session.close();
  });

  test("to switch the mode with several ways to go on is a question", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const options = [
      option("allow_always", "Yes, accept edits"),
      option("allow_once", "Yes"),
      option("reject_once", "No"),
    ];
    await watched.prompt(played([permission({ toolCallId: "p", title: "Ready?", kind: "switch_mode" }, options)]));
    await watched.until("a question", () => watched.all("question").length === 1);
    const [asked] = watched.all("question");
    assert.deepEqual(
      asked?.questions[0]?.options.map(({ label }) => label),
      ["Yes, accept edits", "Yes", "No"],
    );
    const answers = [["Yes, accept edits"]];
    await watched.session.answer(asked?.ask ?? "", { kind: "question", outcome: "answered", answers });
    await watched.until("the end", () => watched.all("turn.finished").length === 1);
    assert.match(said(watched), /the allow_always/);
    await watched.session.close();
  });

  test("that are refused with words are followed by these, where the model does not go on", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    await watched.prompt(played([{ ...permission(), tellAnswer: false }]));
    await watched.until("a permission", () => watched.all("permission").length === 1);
    await watched.session.answer(watched.all("permission")[0]?.ask ?? "", { ...reject, feedback: "use trash" });
    await watched.until("the end", () => watched.all("turn.finished").length === 1);
    assert.match(said(watched), /The user refused this: use trash/);
    assert.equal(watched.all("turn.finished").length, 1);
    await watched.session.close();
  });
});

describe("forms", () => {
  const schema = {
    type: "object",
    properties: {
      color: { type: "string", title: "Colour", enum: ["red", "blue"] },
      sure: { type: "boolean", title: "Sure?" },
    },
  };

  test("become questions, and their answers the content", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    await watched.prompt(played([form({ mode: "form", message: "Choose", requestedSchema: schema })]));
    await watched.until("a question", () => watched.all("question").length === 1);
    const [asked] = watched.all("question");
    assert.equal(asked?.questions.length, 2);
    const answers = [["blue"], ["Yes"]];
    await watched.session.answer(asked?.ask ?? "", { kind: "question", outcome: "answered", answers });
    await watched.until("the end", () => watched.all("turn.finished").length === 1);
    assert.deepEqual(JSON.parse(said(watched)), { action: "accept", content: { color: "blue", sure: true } });
    await watched.session.close();
  });

  for (const [name, params] of [
    [
      "for a secret",
      { mode: "form", message: "Key?", requestedSchema: { properties: { api_key: { type: "string" } } } },
    ],
    ["to open a page", { mode: "url", message: "Log in", url: "http://127.0.0.1/login", elicitationId: "e" }],
    ["of an unknown kind", { mode: "other", message: "?" }],
  ] as const)
    test(`${name} are declined with a note`, async (t) => {
      const { open } = await setStage(t);
      const watched = await open();
      assert.equal((await watched.turn(played([form(params)]))).reason, "end_turn");
      assert.deepEqual(JSON.parse(said(watched)), { action: "decline" });
      assert.equal(watched.all("note")[0]?.code, "ask_declined");
      await watched.session.close();
    });

  test("unknown requests get an error, by the id as it was", async (t) => {
    const { open } = await setStage(t);
    const watched = await open();
    const steps = ["a-b", 7, "7", null].map((id) => ({
      request: { method: "mcp/message", params: {}, id },
      tellAnswer: true,
    }));
    await watched.turn(played([...steps.slice(0, 3), update("plan", { entries: [] })]));
    assert.equal(said(watched).match(/-32601/g)?.length, 3);
    await watched.session.close();
  });
});
