import assert from "node:assert/strict";
import { test } from "node:test";
import { forkedTitle } from "../../src/gateway/fork.ts";
import { call, houseRig, playing, say } from "../agents/house/support.ts";
import { slow } from "../agents/house/test-tools.ts";
import { answering } from "./fake-agent.ts";
import { ended, rig, text } from "./rig.ts";

test("a fork goes on from what was said, and both sessions go their own ways", async (t) => {
  const { model, asked } = playing(
    [...say("I look."), ...call("slow", {}, "s1")],
    say("One."),
    say("Two."),
    say("In the fork."),
    say("In the first."),
  );
  const made = await houseRig(t, { model, tools: [slow(1)] });
  await made.turn("first");
  await made.turn("second");
  const source = await made.events(made.session);
  const fork = await made.gateway.work.fork(made.session);
  assert.notEqual(fork.id, made.session);
  assert.deepEqual([fork.turns, fork.title, fork.agent, fork.directory], [2, "first (fork #1)", "house", made.work]);
  await made.assertLawful(fork.id);
  const { turn } = await made.gateway.prompt(fork.id, text("third"));
  await made.until(fork.id, (event) => ended(event) && event.turn === turn);
  await made.assertLawful(fork.id);
  const heard = JSON.stringify(asked[3]?.prompt.slice(1));
  assert.match(heard, /first.*I look\..*waited.*One\..*second.*Two\..*third/s);
  await made.turn("other third");
  assert.doesNotMatch(JSON.stringify(asked[4]?.prompt), /In the fork/);
  assert.deepEqual((await made.events(made.session)).slice(0, source.length), source);
});

test("a fork before a message knows nothing of what came with it", async (t) => {
  const { model, asked } = playing(say("One."), say("Two."), say("Forked."));
  const made = await houseRig(t, { model });
  await made.turn("first");
  const second = await made.start("second", { id: "msg_second" });
  await made.over(second);
  const fork = await made.gateway.work.fork(made.session, { before: "msg_second" });
  assert.equal(fork.turns, 1);
  const { turn } = await made.gateway.prompt(fork.id, text("another second"));
  await made.until(fork.id, (event) => ended(event) && event.turn === turn);
  assert.doesNotMatch(JSON.stringify(asked[2]?.prompt), /Two\./);
  assert.match(JSON.stringify(asked[2]?.prompt), /first.*One\..*another second/s);
  await assert.rejects(made.gateway.work.fork(made.session, { before: "msg_none" }), { code: "not_found" });
});

test("a busy session is forked as it was before its turn, an empty one too", async (t) => {
  const made = await houseRig(t);
  assert.equal((await made.gateway.work.fork(made.session)).turns, 0);
  await made.start("ask me");
  await made.asked();
  const fork = await made.gateway.work.fork(made.session);
  assert.deepEqual([fork.turns, fork.turn, fork.asks, fork.queue], [0, null, [], []]);
  await made.assertLawful(fork.id);
});

test("an agent with a memory of its own is not forked", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  await assert.rejects(r.gateway.work.fork(id), { code: "unsupported" });
  await assert.rejects(r.gateway.work.fork("ses_none"), { code: "session_not_found" });
});

test("forks are counted in their titles", () => {
  assert.equal(forkedTitle("A"), "A (fork #1)");
  assert.equal(forkedTitle("A (fork #1)"), "A (fork #2)");
  assert.equal(forkedTitle("A (fork #9)"), "A (fork #10)");
});
