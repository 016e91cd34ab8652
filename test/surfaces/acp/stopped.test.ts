import assert from "node:assert/strict";
import { test } from "node:test";
import { prime } from "../../../src/surfaces/acp/session/history.ts";
import { cancel } from "../../../src/surfaces/acp/session/take-back.ts";
import { asked, begun, call, ended, said } from "./log-client.ts";
import { heldUntil, prompted, ROOT, show } from "./stopped-stage.ts";
import { told } from "./watcher.ts";

test("a turn that goes on, because its agent does not stop, keeps its asks and gets its own end", async (t) => {
  const { log, sessions, told: seen } = show(t);
  log.isStopped = false;
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"), call("t1", "bash", "pending"), asked("t1", "per_1", "bash"));
  await told();
  await assert.rejects(cancel(session), /stopped; the end is stored later/);
  await told();
  assert.deepEqual(seen.slice(-2), ["notice", "asked bash"]);
  log.say(ROOT, call("t1", "bash", "completed"), ended("t1"));
  await told();
  assert.deepEqual(seen.slice(-2), ["bash completed", "end t1 end_turn"]);
});

test("a cancel that is given again says nothing again", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  await cancel(session);
  assert.deepEqual(seen, ["turn t1", "notice", "end t1 cancelled"]);
});

test("an ask that is stored after the stop is not shown", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  log.say(ROOT, call("t1", "bash", "pending"), asked("t1", "per_1", "bash"));
  await told();
  assert.deepEqual(seen.slice(-1), ["end t1 cancelled"]);
});

test("a gap while the turn is open in the log tells it neither again nor over", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  log.say(ROOT, said("t1", "words")).prune(ROOT);
  await told();
  log.say(ROOT, ended("t1"));
  await told();
  assert.deepEqual(seen, ["turn t1", "notice", "end t1 cancelled"]);
});

test("a gap over the stored end tells no second one", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  log.say(ROOT, said("t1", "words"), ended("t1"), begun("t2", "m2")).prune(ROOT);
  await told();
  assert.deepEqual(seen, ["turn t1", "notice", "end t1 cancelled", "turn t2"]);
});

test("a gap over the stored end tells nothing of a call that began after the stop", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  log.say(ROOT, call("t1", "bash", "pending"));
  await told();
  log.say(ROOT, said("t1", "words"), ended("t1"), begun("t2", "m2")).prune(ROOT);
  await told();
  assert.deepEqual(seen, ["turn t1", "notice", "end t1 cancelled", "turn t2"]);
});

test("a gap over the beginning of a turn whose prompt was taken back tells nothing of it", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  session.endUnbegun("m2");
  log.say(ROOT, ended("t1"), begun("t2", "m2"), said("t2", "words")).prune(ROOT);
  await told();
  log.say(ROOT, ended("t2"), begun("t3"));
  await told();
  assert.deepEqual(seen, ["turn t1", "end t1 end_turn", "turn t3"]);
});

test("a turn whose beginning was not read yet ends right after it, and its prompt with it", async (t) => {
  const gate = Promise.withResolvers<void>();
  const { log, sessions, told: seen } = show(t, heldUntil(gate.promise));
  const session = await sessions.attach(ROOT, prime);
  const { end } = prompted(session, log);
  await told();
  await cancel(session);
  assert.deepEqual(seen, ["notice"]);
  gate.resolve();
  assert.equal((await end).reason, "cancelled");
  assert.deepEqual(seen, ["notice", "turn t1", "end t1 cancelled"]);
});

test("the end comes before the next turn, also where the client is slow", async (t) => {
  const { log, sessions, told: seen, hold } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  const gate = Promise.withResolvers<void>();
  Object.assign(hold, { type: "info", until: gate.promise });
  const cancelled = cancel(session);
  await told();
  log.say(ROOT, ended("t1"), begun("t2", "m2"));
  await told();
  gate.resolve();
  await cancelled;
  await told();
  assert.deepEqual(seen, ["turn t1", "notice", "end t1 cancelled", "turn t2"]);
});
