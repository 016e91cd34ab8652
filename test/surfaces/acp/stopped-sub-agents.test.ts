import assert from "node:assert/strict";
import { test } from "node:test";
import { prime } from "../../../src/surfaces/acp/session/history.ts";
import { cancel } from "../../../src/surfaces/acp/session/take-back.ts";
import { answered, asked, begun, call, ended } from "./log-client.ts";
import { CHILD, DEEP, ROOT, show } from "./stopped-stage.ts";
import { told } from "./watcher.ts";

test("calls of sub-agents are settled before the end, and once", async (t) => {
  const { log, sessions, told: seen } = show(t);
  log.begin(CHILD, ROOT);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }));
  log.say(CHILD, begun("t2"), call("t2", "bash", "pending"));
  await told();
  await cancel(session);
  assert.deepEqual(seen.slice(-4), ["notice", "bash failed", "task failed", "end t1 cancelled"]);
  const count = seen.length;
  log.say(CHILD, { type: "turn.status", turn: "t2", data: { status: "running" } });
  await told();
  log.say(CHILD, call("t2", "bash", "failed"), ended("t2"));
  log.say(ROOT, call("t1", "task", "failed", { child: CHILD }), ended("t1"));
  await told();
  // The ends of the calls are stored after the end of the turn that they work for.
  log.say(CHILD, call("t2", "bash", "failed", { error: { message: "interrupted" } } as never));
  await told();
  assert.deepEqual(seen.slice(count), []);
  log.say(ROOT, begun("t3"), ended("t3"));
  await told();
  assert.deepEqual(seen.slice(count), ["turn t3", "end t3 end_turn"]);
});

for (const when of ["while its turn is over for the client alone", "after the stored end of its turn"] as const)
  test(`a call of a sub-agent that begins after the stop is not told, read ${when}`, async (t) => {
    const { log, sessions, told: seen } = show(t);
    log.begin(CHILD, ROOT);
    const session = await sessions.attach(ROOT, prime);
    log.say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }));
    log.say(CHILD, begun("t2"));
    await told();
    await cancel(session);
    const count = seen.length;
    const began = async () => {
      log.say(CHILD, call("t2", "bash", "pending"));
      await told();
    };
    if (when.startsWith("while")) await began();
    log.say(ROOT, call("t1", "task", "failed", { child: CHILD }), ended("t1"));
    await told();
    if (when.startsWith("after")) await began();
    log.say(CHILD, call("t2", "bash", "failed"), ended("t2"));
    await told();
    assert.deepEqual(seen.slice(count), []);
    // What the sub-agent does for a later turn is told.
    log.say(ROOT, begun("t3"));
    log.say(CHILD, begun("t4"), call("t4", "more", "pending"), call("t4", "more", "completed"));
    await told();
    assert.deepEqual(seen.slice(count), ["turn t3", "more pending", "more completed"]);
  });

test("sub-agents that are heard of after the stop are not told of, nor are theirs", async (t) => {
  const { log, sessions, told: seen } = show(t);
  log.begin(CHILD, ROOT).begin(DEEP, CHILD);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  const count = seen.length;
  log.say(ROOT, call("t1", "task", "pending", { child: CHILD }), call("t1", "task", "failed"), ended("t1"));
  await told();
  log.say(CHILD, begun("t2"), call("t2", "deep", "pending", { child: DEEP }));
  await told();
  log.say(DEEP, begun("t3"), call("t3", "bash", "pending"), call("t3", "bash", "failed"), ended("t3"));
  log.say(CHILD, call("t2", "deep", "failed"), ended("t2"));
  await told();
  assert.deepEqual(seen.slice(count), []);
});

test("an ask of a sub-agent's next turn that is read before the stored end is shown behind that, and no older one", async (t) => {
  const { log, sessions, told: seen } = show(t);
  log.begin(CHILD, ROOT).begin(DEEP, CHILD);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }));
  log.say(CHILD, begun("t2"), call("t2", "deep", "pending", { child: DEEP }));
  log.say(DEEP, begun("t3"));
  await told();
  await cancel(session);
  const count = seen.length;
  log.say(CHILD, call("t2", "deep", "failed"), ended("t2"));
  log.say(CHILD, begun("t5"), call("t5", "bash", "pending"), asked("t5", "per_1", "bash"));
  log.say(DEEP, call("t3", "rm", "pending"), asked("t3", "per_2", "rm"));
  await told();
  assert.deepEqual(seen.slice(count), []);
  log.say(ROOT, call("t1", "task", "failed"), ended("t1"), begun("t4"));
  await told();
  assert.deepEqual(seen.slice(count).sort(), ["asked bash", "turn t4"]);
  log.say(CHILD, answered("t5", "per_1"), call("t5", "bash", "completed"));
  await told();
  assert.deepEqual(seen.slice(-1), ["bash completed"]);
});

test("a sub-agent in the background is told of while the turn of a prompt that was taken back is not", async (t) => {
  const { log, sessions, told: seen } = show(t);
  log.begin(CHILD, ROOT);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }));
  log.say(CHILD, begun("t2"), call("t2", "bash", "pending"));
  await told();
  log.say(ROOT, call("t1", "task", "completed", { child: CHILD, background: true }));
  await told();
  session.endUnbegun("m2");
  const count = seen.length;
  log.say(ROOT, ended("t1"), begun("t3", "m2"), call("t3", "hidden", "pending"));
  await told();
  log.say(CHILD, call("t2", "bash", "completed"), call("t2", "rm", "pending"), asked("t2", "per_1", "rm"));
  await told();
  assert.deepEqual(seen.slice(count), ["end t1 end_turn", "bash completed", "rm pending", "asked rm"]);
});
