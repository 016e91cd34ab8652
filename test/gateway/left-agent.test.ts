import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { answering, FakeAgent } from "./fake-agent.ts";
import { ended, rig, text } from "./rig.ts";

/** A session whose agent is let go for another one while it puts a choice in force. `answer` is what it says to the choice in the end. */
async function leftWhileChoosing(t: TestContext, answer: () => void) {
  const [first, second] = [new FakeAgent(), new FakeAgent()];
  second.onPrompt = answering;
  const choosing = Promise.withResolvers<void>();
  const closing = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const open = first.open.bind(first);
  first.gate = ready.promise;
  first.open = (options) => {
    const session = open(options);
    const close = session.close.bind(session);
    session.set = async () => {
      choosing.resolve();
      await closing.promise;
      answer();
    };
    session.close = async () => {
      closing.resolve();
      await close();
    };
    return session;
  };
  const agents = new Map([
    ["fake", first],
    ["other", second],
  ]);
  const r = await rig(t, { agents });
  const { id } = await r.gateway.create({ directory: r.directory });
  const started = r.gateway.work.start(id);
  started.catch(() => {});
  await eventually("it starts", () => first.starts.length === 1);
  first.last.say({ type: "session", model: "m1" });
  await r.gateway.update(id, { model: "m2" });
  ready.resolve();
  await choosing.promise;
  await r.gateway.update(id, { agent: "other" });
  await eventually("it is let go", () => first.last.gone);
  return { r, id, second, started };
}

test("a choice that an agent refuses while it is let go is not the other agent's", async (t) => {
  const { r, id, second, started } = await leftWhileChoosing(t, () => {
    throw new Error("it exited");
  });
  await started;
  await r.gateway.prompt(id, text("hello"));
  await r.until(id, ended);
  assert.equal((await r.gateway.get(id)).agent, "other");
  assert.deepEqual(
    [second.last.options.model, ...second.last.choices].filter((one) => one !== undefined),
    [],
  );
  await r.assertLawful(id);
});

test("a start is told of the agent that serves the session, not of one that was let go", async (t) => {
  const { second, started } = await leftWhileChoosing(t, () => {});
  assert.equal(await started, true);
  assert.equal(second.starts.length, 1);
});
