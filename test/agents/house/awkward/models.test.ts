import assert from "node:assert/strict";
import { test } from "node:test";
import { DEMO, findModels, type HouseModel } from "../../../../src/agents/house/model/models.ts";
import { text } from "../../../gateway/rig.ts";
import {
  answers,
  type CallOptions,
  call,
  calls,
  completed,
  endOf,
  finish,
  houseRig,
  playing,
  resultsIn,
  say,
} from "../support.ts";
import { tool } from "../test-tools.ts";

const fine = tool("fine", async () => "fine indeed");

/** Each part of the conversation that a model was given, in order, by its kind. */
function partsIn(options: CallOptions | undefined): { type: string; [key: string]: unknown }[] {
  return (options?.prompt ?? []).flatMap(({ content }) =>
    typeof content === "string" ? [] : content.map((part) => ({ ...part })),
  );
}

function kindsIn(options: CallOptions | undefined): string[] {
  return partsIn(options).map(({ type }) => type);
}

test("two calls with one id in an answer are two calls, each with its result", async (t) => {
  const { model, asked } = playing(
    [...call("fine", { at: 1 }, "same"), ...call("fine", { at: 2 }, "same"), finish("tool-calls")],
    say("Done."),
  );
  const made = await houseRig(t, { model, tools: [fine] });
  const events = await made.turn("go");
  assert.deepEqual(
    calls(events).map(({ call: id, status, input }) => [id, status, input]),
    [
      ["same", "completed", { at: 1 }],
      ["same_2", "completed", { at: 2 }],
    ],
  );
  const ids = partsIn(asked[1]).flatMap(({ type, toolCallId }) => (type.startsWith("tool-") ? [toolCallId] : []));
  assert.deepEqual(ids, ["same", "same_2", "same", "same_2"]);
});

test("an id or a name that a provider would refuse is not given back to one", async (t) => {
  const { model, asked } = playing(
    [
      ...call("fine", {}, "functions.fine:0"),
      ...call("no such/tool", {}, `c${"x".repeat(80)}`),
      ...call("", {}, ""),
      finish("tool-calls"),
    ],
    say("Done."),
  );
  const made = await houseRig(t, { model, tools: [fine] });
  const events = await made.turn("go");
  assert.deepEqual(
    calls(events)
      .map(({ name, status }) => `${name} ${status}`)
      .sort(),
    ["fine completed", "no such/tool failed", "unnamed failed"],
  );
  const given = partsIn(asked[1]).filter(({ type }) => type === "tool-call" || type === "tool-result");
  assert.equal(given.length, 6);
  for (const { toolCallId, toolName } of given) {
    assert.match(String(toolCallId), /^[\w-]{1,40}$/);
    assert.match(String(toolName), /^[\w-]{1,64}$/);
  }
});

test("input that is no JSON is told to the model, which gets it back as an object", async (t) => {
  const broken = call("fine", {}).map((part) => (part.type === "tool-call" ? { ...part, input: '{"a": ' } : part));
  const { model, asked } = playing([...broken, finish("tool-calls")], say("Done."));
  const made = await houseRig(t, { model, tools: [fine] });
  const events = await made.turn("go");
  assert.deepEqual(
    calls(events).map(({ status, error }) => [status, error?.code]),
    [["failed", "bad_input"]],
  );
  const [given] = partsIn(asked[1]).filter(({ type }) => type === "tool-call");
  assert.equal(typeof given?.input, "object");
  assert.equal(endOf(events).reason, "end_turn");
});

test("a text id that is used again after its end names another text", async (t) => {
  const { model } = playing(
    [...say("First.", "0"), ...call("fine"), ...say("Second.", "0"), finish("tool-calls")],
    say("."),
  );
  const made = await houseRig(t, { model, tools: [fine] });
  assert.deepEqual(answers(await made.turn("go")), ["First.", "Second.", "."]);
});

test("a text id that is used again in a stream that breaks is taken back, each text of it", async (t) => {
  const broken = (): Iterable<never> => {
    const parts = [
      ...say("First.", "0"),
      ...say("Second.", "0"),
      { type: "error", error: new TypeError("terminated") },
    ];
    return parts as Iterable<never>;
  };
  const { model } = playing(broken, say("Whole."));
  const made = await houseRig(t, { model });
  const events = await made.turn("go");
  assert.deepEqual(answers(events), ["Whole."]);
  assert.equal(completed(events, "message").filter(({ status }) => status === "retracted").length, 2);
});

test("reasoning that is not shown is given back with the call it led to", async (t) => {
  const hidden = { anthropic: { redactedData: "c2VjcmV0" } };
  const { model, asked } = playing(
    [
      { type: "reasoning-start", id: "r", providerMetadata: hidden },
      { type: "reasoning-end", id: "r" },
      ...call("fine"),
      finish("tool-calls"),
    ],
    say("Done."),
  );
  const made = await houseRig(t, { model, tools: [fine] });
  await made.turn("go");
  const [reasoning] = partsIn(asked[1]).filter(({ type }) => type === "reasoning");
  assert.deepEqual(reasoning?.providerOptions, hidden);
});

const SIGNED = { anthropic: { signature: "c2lnbmVk" } };

test("thoughts that led to nothing and words of nothing but space are not given back", async (t) => {
  const { model, asked } = playing(
    [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "Hm.", providerMetadata: SIGNED },
      { type: "reasoning-end", id: "r" },
      ...say(" \n"),
      finish(),
    ],
    say("Hello."),
  );
  const made = await houseRig(t, { model });
  assert.equal(endOf(await made.turn("one")).reason, "end_turn");
  await made.turn("two");
  assert.deepEqual(kindsIn(asked[1]), ["text", "text"], "the user's words alone");
});

test("an answer with nothing in it ends the turn, and the session goes on", async (t) => {
  const { model } = playing([finish()], say("Hello."));
  const made = await houseRig(t, { model });
  assert.equal(endOf(await made.turn("one")).reason, "end_turn");
  assert.deepEqual(answers(await made.turn("two")), ["Hello."]);
});

test("another model does not get what the one before has signed", async (t) => {
  const { model, asked } = playing(
    [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "Hm.", providerMetadata: SIGNED },
      { type: "reasoning-end", id: "r" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "One." },
      { type: "text-end", id: "0", providerMetadata: { openai: { itemId: "msg_1" } } },
    ],
    say("Two."),
    say("Three."),
  );
  const other: HouseModel = { ...DEMO, id: "other/model" };
  const models = { ...findModels({}), list: [DEMO, other], load: async () => model };
  models.find = (id) => (id === other.id ? other : DEMO);
  const made = await houseRig(t, { models });
  await made.turn("one");
  await made.turn("two");
  assert.ok(kindsIn(asked[1]).includes("reasoning"), "the same model gets its thoughts back");
  await made.over(await made.start("three", { model: "other/model" }));
  assert.ok(!kindsIn(asked[2]).includes("reasoning"));
  assert.ok(!JSON.stringify(asked[2]?.prompt).includes("msg_1"));
});

test("half a character in a tool's output does not reach the model", async (t) => {
  const { model, asked } = playing([...call("half"), finish("tool-calls")], say("Done."));
  const made = await houseRig(t, { model, tools: [tool("half", async () => "a\ud83d")] });
  await made.turn("go");
  assert.ok(JSON.stringify(asked[1]?.prompt).includes("a\ufffd"));
});

test("a tool that fails without a word gives the model one all the same", async (t) => {
  const { model, asked } = playing([...call("mute"), finish("tool-calls")], say("Done."));
  const mute = tool("mute", async () => {
    throw new Error("");
  });
  const made = await houseRig(t, { model, tools: [mute] });
  await made.turn("go");
  const { mute: said } = resultsIn(asked[1]);
  assert.match(said ?? "", /did not say why/);
});

test("a model that calls a tool that is not there three times raises the ask, too", async (t) => {
  const { model } = playing(call("gone", {}, "a"), call("gone", {}, "b"), call("gone", {}, "c"), say("Done."));
  const made = await houseRig(t, { model, tools: [fine] });
  const turn = await made.start("go");
  const ask = await made.asked();
  assert.ok(ask.type === "permission.requested" && ask.data.action === "doom_loop");
  await made.gateway.answer(made.session, ask.data.ask, { kind: "permission", outcome: "reject" }, "test");
  const events = await made.over(turn);
  assert.deepEqual(
    calls(events).map(({ error }) => error?.code),
    ["unknown_tool", "unknown_tool", "rejected"],
  );
});

test("prompts that wait are answered in their order, each with what came before", async (t) => {
  const { model, asked } = playing(say("One."), say("Two."), say("Three."));
  const made = await houseRig(t, { model });
  for (const words of ["first", "second", "third"]) await made.gateway.prompt(made.session, text(words));
  await made.until(made.session, (event) => event.type === "turn.ended" && asked.length === 3);
  await made.until(
    made.session,
    ({ type, data }) => type === "item.completed" && data.item.kind === "message" && data.item.text === "Three.",
  );
  assert.deepEqual(
    partsIn(asked[2]).map(({ text: words }) => words),
    ["first", "One.", "second", "Two.", "third"],
  );
});
