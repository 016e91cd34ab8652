import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParleyClient } from "../../../src/client/index.ts";
import { prime, replay } from "../../../src/surfaces/acp/session/history.ts";
import { cancelPromptIn } from "../../../src/surfaces/acp/session/operations.ts";
import { cancel } from "../../../src/surfaces/acp/session/take-back.ts";
import { begun, call, ended } from "./log-client.ts";
import { heldUntil, prompted, ROOT, show } from "./stopped-stage.ts";
import { told } from "./watcher.ts";

test("a turn whose beginning a load tells before it was read ends behind that, and its prompt with it", async (t) => {
  const gate = Promise.withResolvers<void>();
  const { log, sessions, told: seen } = show(t, heldUntil(gate.promise));
  const session = await sessions.attach(ROOT, prime);
  const { end } = prompted(session, log, call("t1", "bash", "pending"));
  await told();
  await cancel(session);
  const loaded = sessions.attach(ROOT, replay);
  await told();
  gate.resolve();
  await loaded;
  assert.equal((await end).reason, "cancelled");
  log.say(ROOT, call("t1", "bash", "failed"), ended("t1"), begun("t2"));
  await told();
  assert.deepEqual(seen, ["notice", "bash pending", "bash failed", "end t1 cancelled", "turn t2"]);
});

test("a prompt that was taken back gets no turn after a load, either", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  session.endUnbegun("m2");
  await sessions.attach(ROOT, replay);
  const count = seen.length;
  log.say(ROOT, ended("t1"), begun("t2", "m2"), call("t2", "bash", "pending"), ended("t2"), begun("t3"));
  await told();
  assert.deepEqual(seen.slice(count), ["end t1 end_turn", "turn t3"]);
});

test("a prompt's request that is taken back after a load ends its turn once", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const { end, id } = prompted(await sessions.attach(ROOT, prime), log, call("t1", "bash", "pending"));
  await told();
  await sessions.attach(ROOT, replay);
  const count = seen.length;
  await cancelPromptIn(sessions, ROOT, id);
  assert.equal((await end).reason, "cancelled");
  log.say(ROOT, call("t1", "bash", "completed"), ended("t1"));
  await told();
  assert.deepEqual(seen.slice(count), ["notice", "bash failed", "end t1 cancelled"]);
});

test("a load while the agent is being stopped ends the turn once, behind what it tells", async (t) => {
  const gate = Promise.withResolvers<void>();
  const slow = (client: ParleyClient): ParleyClient => ({
    ...client,
    session: (one) => {
      const session = client.session(one);
      const cancelled: typeof session.cancel = async (request) => {
        await gate.promise;
        return session.cancel(request);
      };
      return Object.assign(Object.create(session), { cancel: cancelled });
    },
  });
  const { log, sessions, told: seen } = show(t, slow);
  const session = await sessions.attach(ROOT, prime);
  const { end } = prompted(session, log, call("t1", "bash", "pending"));
  await told();
  const cancelled = cancel(session);
  await told();
  const count = seen.length;
  await sessions.attach(ROOT, replay);
  gate.resolve();
  await cancelled;
  assert.equal((await end).reason, "cancelled");
  log.say(ROOT, call("t1", "bash", "failed"), ended("t1"));
  await told();
  assert.deepEqual(seen.slice(count), ["bash pending", "notice", "bash failed", "end t1 cancelled"]);
});

for (const [how, prepare] of [
  ["resumes", prime],
  ["loads", replay],
] as const) {
  test(`a client that ${how} the session finds the turn over, its calls settled, and hears of it no more`, async (t) => {
    const { log, sessions, told: seen } = show(t);
    const session = await sessions.attach(ROOT, prime);
    log.say(ROOT, begun("t1", "m1"), call("t1", "bash", "pending"));
    await told();
    await cancel(session);
    const count = seen.length;
    const again = await sessions.attach(ROOT, prepare);
    const openTurn = () => again.openTurn?.id;
    assert.equal(openTurn(), undefined);
    const calls = seen.slice(count).filter((one) => one.startsWith("bash"));
    assert.equal(calls.at(-1), how === "loads" ? "bash failed" : undefined);
    const after = seen.length;
    log.say(ROOT, call("t1", "bash", "failed"), ended("t1"), begun("t2"));
    await told();
    assert.deepEqual(seen.slice(after), ["turn t2"]);
    assert.equal(openTurn(), "t2");
  });
}
