import assert from "node:assert/strict";
import { test } from "node:test";
import { exportHeader } from "../../src/core/history/exported.ts";
import { houseRig, playing, say } from "../agents/house/support.ts";
import { ended, rig, text } from "./rig.ts";

test("a fork adds nothing but its own turns, and a deleted session stays counted", async (t) => {
  const { model } = playing(say("One."), say("Two."), say("In the fork."));
  const made = await houseRig(t, { model });
  const turns = async (): Promise<number> => (await made.gateway.usage({})).total.turns;
  await made.turn("first");
  await made.turn("second");
  const before = await made.gateway.usage({ by: "session" });
  assert.deepEqual(
    [before.rows.map(({ key, label }) => [key, label]), before.total.turns],
    [[[made.session, "first"]], 2],
  );
  const fork = await made.gateway.work.fork(made.session);
  assert.deepEqual((await made.gateway.usage({ by: "session" })).total, before.total);
  const { turn } = await made.gateway.prompt(fork.id, text("third"));
  await made.until(fork.id, (event) => ended(event) && event.turn === turn);
  assert.equal(await turns(), 3);
  const again = await made.gateway.work.fork(fork.id);
  assert.equal(await turns(), 3, "a fork of a fork");
  await made.gateway.remove(again.id);
  await made.gateway.remove(made.session);
  const { rows } = await made.gateway.usage({ by: "session" });
  const gone = rows.find(({ key }) => key === made.session);
  assert.deepEqual([await turns(), gone?.turns, gone?.label, gone?.deleted], [3, 2, undefined, true]);
});

test("an import adds nothing, also where its last turn was open", async (t) => {
  const { model } = playing(say("One."));
  const made = await houseRig(t, { model });
  await made.turn("first");
  const events = await made.events(made.session);
  const lines = (count: number): string => {
    const kept = events.slice(0, count);
    const header = exportHeader(made.session, [{ id: made.session, last: kept.at(-1)?.seq ?? 0 }]);
    return [header, ...kept].map((line) => `${JSON.stringify(line)}\n`).join("");
  };
  const { total } = await made.gateway.usage({});
  const isEnd = events.findIndex(({ type }) => type === "turn.ended");
  for (const end of [events.length, isEnd]) {
    const id = await made.gateway.importSession({ jsonl: lines(end) });
    assert.notEqual(id, made.session);
    assert.equal((await made.gateway.get(id)).turn, null);
    assert.deepEqual((await made.gateway.usage({})).total, total);
  }
});

test("a turn whose model nobody knows has tokens, and a cost that is unknown", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = (session) => {
    session.say({ type: "step.begun" });
    session.say({ type: "step.finished", usage: { tokens: { input: 5, output: 1 } } });
    session.say({ type: "turn.finished", reason: "end_turn" });
  };
  const { id } = await r.gateway.create({ directory: r.directory });
  const { turn } = await r.gateway.prompt(id, text("hello"));
  await r.until(id, (event) => ended(event) && event.turn === turn);
  const { total } = await r.gateway.usage({ by: "agent" });
  assert.deepEqual(
    [total.turns, total.tokens.input, total.cost],
    [1, 5, { usd: null, source: "unknown", unknownTurns: 1 }],
  );
});

test("days and zones that mean nothing are refused", async (t) => {
  const r = await rig(t);
  await assert.rejects(r.gateway.usage({ from: "yesterday" }), { code: "invalid", message: /a day such as/ });
  await assert.rejects(r.gateway.usage({ tz: "Mars/Olympus" }), { code: "invalid", message: /a time zone such as/ });
});
