import assert from "node:assert/strict";
import { test } from "node:test";
import { APICallError } from "ai";
import { DEMO } from "../../../src/agents/house/model/models.ts";
import { middleOut, transcriptOf } from "../../../src/agents/house/past/transcript.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { ended } from "../../gateway/rig.ts";
import {
  afterRestart,
  answers,
  type CallOptions,
  call,
  endOf,
  finish,
  type HouseRig,
  houseAgent,
  houseRig,
  ofType,
  type Part,
  playing,
  type Reply,
  say,
  workDirectory,
} from "./support.ts";
import { slow } from "./test-tools.ts";

const asked = (options: CallOptions | undefined): string => JSON.stringify(options?.prompt.slice(1));
const conversation = (options: CallOptions | undefined): unknown[] =>
  (JSON.parse(asked(options)) as { providerOptions?: unknown }[]).map(({ providerOptions: _, ...message }) => message);

async function compact(made: HouseRig): Promise<ParleyEvent[]> {
  const { turn } = await made.gateway.work.compact(made.session);
  return made.over(turn ?? "");
}

/** A provider's refusal of a conversation that does not fit. */
const tooLong: Reply = () => {
  throw new APICallError({
    message: "prompt is too long: 210000 tokens > 200000 maximum",
    url: "http://localhost",
    requestBodyValues: {},
    statusCode: 400,
    isRetryable: false,
  });
};

function using(tokens: number, ...parts: Part[]): Part[] {
  const unified = parts.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
  const usage = {
    inputTokens: { total: tokens, noCache: tokens, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 10, text: 10, reasoning: 0 },
  };
  return [...parts, { ...finish(), finishReason: { unified, raw: unified }, usage } as Part];
}

const SMALL = { ...DEMO, context: 1_000 };

test("a compaction is a turn with a summary, and the conversation goes on from that alone, also after a restart", async (t) => {
  const { model, asked: calls } = playing(
    [...say("I look."), ...call("slow", {}, "s1")],
    say("First answer."),
    say("They wanted a first thing."),
    say("Second answer."),
  );
  const made = await houseRig(t, { model, tools: [slow(1)] });
  await made.turn("do the first thing");
  const events = await compact(made);
  assert.deepEqual(
    ofType(events, "turn.status").map(({ data }) => data.status),
    ["compacting", "running"],
  );
  assert.equal(endOf(events).reason, "end_turn");
  assert.deepEqual(
    ofType(events, "step.started").map(({ data }) => data.summary),
    [true],
  );
  assert.deepEqual(answers(events), ["They wanted a first thing."]);
  const request = asked(calls[2]);
  assert.match(
    request,
    /Summarise the conversation.*User: do the first thing.*I look\..*calls slow.*slow gave: waited.*First answer/s,
  );
  assert.deepEqual(calls[2]?.tools ?? [], []);
  await made.turn("do the second thing");
  const after = conversation(calls[3]);
  assert.equal(after.length, 2);
  assert.match(JSON.stringify(after), /They wanted a first thing.*do the second thing/s);
  assert.doesNotMatch(JSON.stringify(after), /I look|First answer/);
  const again = playing(say("Third answer."));
  await afterRestart(made, houseAgent({ model: again.model }, await workDirectory(t)), "do the third thing");
  assert.deepEqual(conversation(again.asked[0]).slice(0, 2), after);
  assert.doesNotMatch(asked(again.asked[0]), /I look|First answer/);
});

test("a conversation that the provider finds too long is summarised, and the turn goes on", async (t) => {
  const { model, asked: calls } = playing(
    say("First answer."),
    using(10, ...call("slow", {}, "s1")),
    tooLong,
    say("The story so far."),
    say("Done after all."),
  );
  const made = await houseRig(t, { model, tools: [slow(1)] });
  await made.turn("first");
  const events = await made.turn("second");
  assert.equal(endOf(events).reason, "end_turn");
  assert.deepEqual(answers(events), ["The story so far.", "Done after all."]);
  const last = conversation(calls[4]);
  assert.match(JSON.stringify(last), /The story so far.*second/s);
  assert.equal(last.length, 2, "the summary, then what this turn was asked");
  const again = playing(say("Later."));
  await afterRestart(made, houseAgent({ model: again.model }, await workDirectory(t)), "third");
  assert.deepEqual(conversation(again.asked[0]).slice(0, 2), last, "the log gives the same conversation");
});

test("once in a turn: what is still too long then is an error", async (t) => {
  const { model, asked: calls } = playing(tooLong, say("Short."), tooLong, say("never asked"));
  const made = await houseRig(t, { model });
  const events = await made.turn("go");
  assert.deepEqual([endOf(events).reason, endOf(events).error?.code], ["error", "context_full"]);
  assert.equal(calls.length, 3);
});

test("a context that is nearly full is emptied before the next step, and before the next turn", async (t) => {
  const { model, asked: calls } = playing(
    using(860, ...call("slow", {}, "s1")),
    using(100, ...say("Summary one.")),
    using(849, ...say("Answer one.")),
    using(100, ...say("Summary two.")),
    using(100, ...say("Answer two.")),
  );
  const models = { list: [SMALL], find: () => SMALL, load: async () => model, advice: () => "" };
  const made = await houseRig(t, { models, tools: [slow(1)] });
  assert.deepEqual(answers(await made.turn("first")), ["Summary one.", "Answer one."]);
  assert.match(asked(calls[2]), /Summary one\..*first/s);
  assert.deepEqual(answers(await made.turn("second")), ["Summary two.", "Answer two."]);
  assert.match(asked(calls[3]), /Summary one\..*Answer one\..*User: second/s);
  const state = await made.gateway.get(made.session);
  assert.deepEqual(state.usage.context, { used: 110, size: 1_000 });
});

test("how full it is survives a restart", async (t) => {
  const first = playing(using(900, ...say("Much.")));
  const models = (model: (typeof first)["model"]) => ({
    list: [SMALL],
    find: () => SMALL,
    load: async () => model,
    advice: () => "",
  });
  const made = await houseRig(t, { models: models(first.model) });
  await made.turn("first");
  const again = playing(using(50, ...say("Summary.")), using(60, ...say("Answer.")));
  await afterRestart(made, houseAgent({ models: models(again.model) }, await workDirectory(t)), "second");
  assert.equal(again.asked.length, 2);
  assert.match(asked(again.asked[1]), /Summary\..*second/s);
});

test("a conversation that does not fit into the request for a summary is tried with half of it", async (t) => {
  const { model, asked: calls } = playing(say("x".repeat(300_000)), tooLong, tooLong, say("Short."));
  const made = await houseRig(t, { model });
  await made.turn("first");
  const events = await compact(made);
  assert.equal(endOf(events).reason, "end_turn");
  const sizes = calls.slice(1).map((options) => asked(options).length);
  assert.ok(sizes[0] && sizes[1] && sizes[2] && sizes[1] < sizes[0] * 0.6 && sizes[2] < sizes[1] * 0.6, String(sizes));
});

test("a compaction that fails or is stopped changes nothing", async (t) => {
  const { model, asked: calls } = playing(
    say("First answer."),
    say("  "),
    async function* () {
      yield* say("Half a summ").slice(0, 2);
      await new Promise(() => {});
    },
    say("Second answer."),
  );
  const made = await houseRig(t, { model });
  await made.turn("first");
  assert.equal(endOf(await compact(made)).error?.code, "compact_failed");
  const { turn = "" } = await made.gateway.work.compact(made.session);
  await made.until(made.session, (event) => event.type === "item.delta" && event.data.delta === "Half a summ");
  await made.gateway.cancel(made.session, { queue: "clear" });
  assert.equal(endOf(await made.over(turn)).reason, "cancelled");
  await made.turn("second");
  const live = conversation(calls[3]);
  assert.match(JSON.stringify(live), /first.*First answer.*second/s);
  assert.doesNotMatch(JSON.stringify(live), /Half a summ/);
  const again = playing(say("Third."));
  await afterRestart(made, houseAgent({ model: again.model }, await workDirectory(t)), "third");
  assert.deepEqual(conversation(again.asked[0]).slice(0, 3), live);
});

test("prompts wait for a compaction, words for a turn too", async (t) => {
  const gate = Promise.withResolvers<void>();
  const { model, asked: calls } = playing(
    say("First answer."),
    async function* () {
      await gate.promise;
      yield* say("Summary.");
      yield finish();
    },
    say("Second answer."),
  );
  const made = await houseRig(t, { model });
  await made.turn("first");
  const { turn } = await made.gateway.work.compact(made.session);
  const waiting = await made.gateway.prompt(made.session, {
    parts: [{ type: "text", text: "second" }],
    delivery: "steer",
  });
  assert.equal(waiting.status, "queued");
  gate.resolve();
  await made.until(made.session, (event) => ended(event) && event.turn === turn);
  const began = await made.until(
    made.session,
    (event) => event.type === "turn.started" && event.data.prompt?.id === waiting.prompt,
  );
  await made.over(began.turn ?? "");
  assert.match(asked(calls[2]), /Summary\..*second/s);
});

test("an empty conversation needs no summary, and the scripted model gives one of what the user said", async (t) => {
  const made = await houseRig(t);
  assert.equal(endOf(await compact(made)).reason, "end_turn");
  await made.turn("Hello there");
  assert.match(answers(await compact(made))[0] ?? "", /The user said.*- Hello there/s);
});

test("a transcript is bounded, and says what is missing", () => {
  assert.equal(middleOut("abcdef", 6), "abcdef");
  assert.match(middleOut("a".repeat(50) + "z".repeat(50), 30), /^a{10}\n\(… 70 characters left out …\)\nz{20}$/);
  const text = transcriptOf([{ role: "user", content: "x".repeat(5_000) }], 1_000);
  assert.ok(text.length < 1_100);
});
