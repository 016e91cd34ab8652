import assert from "node:assert/strict";
import { test } from "node:test";
import { GRACE_MS } from "../../../src/core/ledger/state.ts";
import { assertWithin, staysSo } from "../../support/time.ts";
import {
  answers,
  call,
  calls,
  endOf,
  finish,
  houseRig,
  ofType,
  type Part,
  playing,
  resultsIn,
  say,
} from "./support.ts";
import { gated, slow, stuck, throwing, tool } from "./test-tools.ts";

/** A tool that is given up at the stream's end would have been by then. */
const LONGER_THAN_A_DRAIN = 2 * GRACE_MS;

/** The error of a network that breaks. */
const cut = (): never => {
  throw Object.assign(new TypeError("terminated"), {
    cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }),
  });
};

test("C1: tools start while the stream goes on", async (t) => {
  const first = gated("first");
  const { model } = playing(async function* () {
    yield* call("first");
    // Without a tool that starts at once this waits for ever.
    await first.started;
    first.release();
    yield* say("Still speaking.");
    yield finish("tool-calls");
  }, say("Done."));
  const { turn } = await houseRig(t, { model, tools: [first.tool] });
  assert.deepEqual(answers(await turn("go")), ["Still speaking.", "Done."]);
});

test("C1: the next model step begins only when all tools have settled", async (t) => {
  const [one, two] = [gated("one"), gated("two")];
  const { model, asked } = playing([...call("one"), ...call("two")], say("Done."));
  const { start, over } = await houseRig(t, { model, tools: [one.tool, two.tool] });
  const turn = await start("go");
  await Promise.all([one.started, two.started]);
  one.release();
  await staysSo("the model is not asked while a tool runs", () => asked.length === 1, LONGER_THAN_A_DRAIN);
  two.release();
  await over(turn);
  assert.deepEqual(resultsIn(asked[1]), { one: "one is done", two: "two is done" });
});

test("C2: after a stream that broke, all open tools are awaited once, 250 ms in total, and the turn goes on", async (t) => {
  let broke = 0;
  const { model, asked } = playing(
    async function* () {
      for (let at = 0; at < 6; at++) yield* call("stuck", { at }, `stuck-${at}`);
      broke = performance.now();
      cut();
    },
    function* () {
      yield* say(`${Math.round(performance.now() - broke)}`);
      yield finish();
    },
  );
  const { turn } = await houseRig(t, { model, tools: [stuck] });
  const events = await turn("go");
  const waited = Number(answers(events)[0]);
  assert.ok(waited >= 240, `${waited} ms for 6 tools`);
  assertWithin(waited, 1_000, "the drain of 6 tools");
  assert.equal(endOf(events).reason, "end_turn");
  assert.deepEqual(
    calls(events).map(({ status, error }) => `${status} ${error?.code}`),
    Array(6).fill("failed aborted"),
  );
  assert.match(resultsIn(asked[1]).stuck ?? "", /aborted/, "the model sees what became of its calls");
});

test("C3: a cancel settles a tool that does not listen as aborted, and ends the turn", async (t) => {
  const { model } = playing(call("stuck"));
  const made = await houseRig(t, { model, tools: [stuck] });
  const turn = await made.start("go");
  await made.until(made.session, (event) => event.type === "item.updated" && event.data.status === "running");
  const began = performance.now();
  await made.gateway.cancel(made.session, { queue: "clear" });
  const took = performance.now() - began;
  const events = await made.over(turn);
  assertWithin(took, 1_000, "the cancel");
  assert.equal(endOf(events).reason, "cancelled");
  assert.deepEqual(
    calls(events).map(({ status, error }) => `${status} ${error?.code}`),
    ["failed aborted"],
  );
});

test("C4: a stream that ends before its tool loses no result", async (t) => {
  const late = gated("late");
  const streamed = Promise.withResolvers<void>();
  const { model, asked } = playing(async function* (): AsyncGenerator<Part> {
    yield* call("late");
    yield finish("tool-calls");
    streamed.resolve();
  }, say("I saw it."));
  const { start, over } = await houseRig(t, { model, tools: [late.tool] });
  const turn = await start("go");
  await Promise.all([streamed.promise, late.started]);
  await staysSo("the model is not asked without the result", () => asked.length === 1, LONGER_THAN_A_DRAIN);
  late.release();
  const events = await over(turn);
  assert.deepEqual(resultsIn(asked[1]), { late: "late is done" });
  assert.deepEqual(answers(events), ["I saw it."]);
});

test("C4: eight tools wait for one another: they run side by side", async (t) => {
  const all = Promise.withResolvers<string>();
  let running = 0;
  const meeting = tool("meeting", () => {
    if (++running === 8) all.resolve("all are here");
    return all.promise;
  });
  const { model } = playing(
    Array.from({ length: 8 }, (_, at) => call("meeting", { at }, `m-${at}`)).flat(),
    say("Done."),
  );
  const { turn } = await houseRig(t, { model, tools: [meeting] });
  assert.equal(calls(await turn("go")).filter(({ status }) => status === "completed").length, 8);
});

test("C4: eight tools of 200 ms take one wait, not eight", async (t) => {
  const { model } = playing(Array.from({ length: 8 }, (_, at) => call("slow", { at }, `s-${at}`)).flat(), say("Done."));
  const { turn } = await houseRig(t, { model, tools: [slow(200)] });
  const events = await turn("go");
  const [begun, ended] = [ofType(events, "item.updated")[0]?.time ?? 0, calls(events).length];
  const took = (ofType(events, "step.ended")[0]?.time ?? 0) - begun;
  t.diagnostic(`8 tools of 200 ms took ${took} ms`);
  assert.equal(ended, 8);
  assertWithin(took, 800, "8 tools of 200 ms");
});

test("C4: a tool that throws does not block; the others and the turn go on", async (t) => {
  const { model, asked } = playing([...call("throwing"), ...call("slow")], say("One failed."));
  const { turn } = await houseRig(t, { model, tools: [throwing, slow(1)] });
  const events = await turn("go");
  assert.deepEqual(resultsIn(asked[1]), { throwing: "this tool is broken", slow: "waited" });
  assert.equal(endOf(events).reason, "end_turn");
  assert.deepEqual(
    calls(events)
      .map(({ name, status }) => `${name} ${status}`)
      .toSorted(),
    ["slow completed", "throwing failed"],
  );
});

test("C5: three identical calls in a row raise an ask; who refuses is heard by the model", async (t) => {
  const same = call("slow", { same: true });
  const { model, asked } = playing(same, same, same, say("I stop."));
  const made = await houseRig(t, { model, tools: [slow(1)] });
  const turn = await made.start("go");
  const ask = await made.asked();
  assert.ok(ask.type === "permission.requested" && ask.data.action === "doom_loop");
  assert.equal(asked.length, 3, "two calls went through");
  await made.gateway.answer(made.session, ask.data.ask, { kind: "permission", outcome: "reject" }, "test");
  const events = await made.over(turn);
  assert.deepEqual(
    calls(events).map(({ status }) => status),
    ["completed", "completed", "failed"],
  );
  assert.match(resultsIn(asked[3]).slow ?? "", /refused/);
});

test("C5: a doom loop that is allowed goes on, and asks again after three more", async (t) => {
  const same = call("slow", { same: true });
  const { model } = playing(...Array(6).fill(same), say("Done."));
  const made = await houseRig(t, { model, tools: [slow(1)] });
  const turn = await made.start("go");
  for (let at = 0; at < 2; at++) {
    const ask = await made.asked();
    await made.gateway.answer(made.session, ask.data.ask, { kind: "permission", outcome: "once" }, "test");
  }
  const events = await made.over(turn);
  assert.equal(calls(events).filter(({ status }) => status === "completed").length, 6);
  assert.equal(ofType(events, "permission.requested").length, 2);
});
