import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ended, rig, text } from "./rig.ts";

/** A session whose agent is idle, and a change of it that the agent has been told of. Its timers wait for `tick`. */
async function changing(t: TestContext) {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory, mode: "build" });
  r.fake.onPrompt = (session) => session.say({ type: "turn.finished", reason: "end_turn" });
  await r.gateway.prompt(id, text("go"));
  await r.until(id, ended);
  const told = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  r.fake.last.set = () => {
    told.resolve();
    return taken.promise;
  };
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const outcome = r.gateway.update(id, { mode: "plan" });
  outcome.catch(() => {});
  await told.promise;
  return { ...r, id, outcome, take: taken.resolve };
}

test("a choice that the agent takes after a while is in force", async (t) => {
  const r = await changing(t);
  t.mock.timers.tick(9_999);
  t.mock.timers.reset();
  r.take();
  assert.equal((await r.outcome).mode, "plan");
  await r.assertLawful(r.id);
});

test("a choice that the agent does not answer is a failure that says so, and the one before is shown", async (t) => {
  const r = await changing(t);
  t.mock.timers.tick(10_000);
  t.mock.timers.reset();
  await assert.rejects(r.outcome, { code: "unavailable", message: /has not said within 10 s .*"mode":"plan"/ });
  assert.equal((await r.gateway.get(r.id)).mode, "build");
  r.fake.last.say({ type: "session", mode: "plan" });
  await r.until(r.id, (event) => event.type === "session.updated" && event.data.mode === "plan");
  await r.assertLawful(r.id);
});
