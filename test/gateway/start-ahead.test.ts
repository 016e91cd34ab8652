import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { GatewayOptions } from "../../src/gateway/options.ts";
import type { Log } from "../../src/log/contract.ts";
import { eventually } from "../support/eventually.ts";
import { staysSo } from "../support/time.ts";
import { wrapHolds } from "../support/wrap-holds.ts";
import { answering, FakeAgent } from "./fake-agent.ts";
import { ended, gatewayOn, rig, text } from "./rig.ts";

test("an agent that is started ahead takes the first prompt, and no other is started", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory, start: true });
  await eventually("the agent is started", () => r.fake.starts.length === 1);
  await r.gateway.prompt(id, text("hello"));
  await r.until(id, ended);
  assert.equal(r.fake.starts.length, 1);
  assert.equal(r.fake.starts[0]?.prompts.length, 1);
  await r.assertLawful(id);
});

test("whoever has a session that is started ahead finds that its agent starts", async (t) => {
  const r = await rig(t);
  r.fake.gate = Promise.withResolvers<void>().promise;
  await r.gateway.create({ directory: r.directory, start: true });
  assert.equal(r.fake.starts.length, 1);
});

test("a prompt that comes while the agent starts ahead waits for that start", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const gate = Promise.withResolvers<void>();
  r.fake.gate = gate.promise;
  const { id } = await r.gateway.create({ directory: r.directory, start: true });
  await eventually("the agent is started", () => r.fake.starts.length === 1);
  await r.gateway.prompt(id, text("hello"));
  gate.resolve();
  await r.until(id, ended);
  assert.equal(r.fake.starts.length, 1);
  await r.assertLawful(id);
});

test("a start ahead that fails stores nothing, and the first prompt tries again", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  r.fake.failure = new Error("not today");
  const { id } = await r.gateway.create({ directory: r.directory, start: true });
  await eventually("the start has failed", () => r.fake.starts[0]?.gone === true);
  assert.deepEqual(
    (await r.events(id)).map(({ type }) => type),
    ["session.started"],
  );
  r.fake.failure = undefined;
  await r.gateway.prompt(id, text("hello"));
  const end = await r.until(id, ended);
  assert.equal(end.type === "turn.ended" && end.data.reason, "end_turn");
  await r.assertLawful(id);
});

test("a start is over when what the agent told with it is stored", async (t) => {
  const [held, storing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => held.resolve());
  const wrap = (log: Log): Log =>
    wrapHolds(log, ({ append }) => ({
      append: async (right, entries, ...rest) => {
        if (entries.some(({ draft }) => draft.type === "session.note")) {
          storing.resolve();
          await held.promise;
        }
        return append(right, entries, ...rest);
      },
    }));
  const r = await rig(t, { wrap });
  const gate = Promise.withResolvers<void>();
  r.fake.gate = gate.promise;
  const { id } = await r.gateway.create({ directory: r.directory });
  let isOver = false;
  const started = r.gateway.work.start(id).finally(() => {
    isOver = true;
  });
  await eventually("the agent is started", () => r.fake.starts.length === 1);
  r.fake.last.say({ type: "note", level: "warn", text: "careful" });
  gate.resolve();
  await storing.promise;
  await staysSo("the start is not over", () => !isOver);
  held.resolve();
  assert.equal(await started, true);
  assert.equal((await r.events(id)).at(-1)?.type, "session.note");
});

test("a session that is deleted while its agent starts ahead leaves no agent", async (t) => {
  const r = await rig(t);
  const gate = Promise.withResolvers<void>();
  r.fake.gate = gate.promise;
  const { id } = await r.gateway.create({ directory: r.directory, start: true });
  await eventually("the agent is started", () => r.fake.starts.length === 1);
  const removed = r.gateway.remove(id);
  gate.resolve();
  await removed;
  await eventually("the agent is gone", () => r.fake.starts.every(({ gone }) => gone));
});

test("an agent that is started ahead and gets no prompt is let go when it was idle for its time", async (t) => {
  const r = await rig(t, { idleCloseMs: 50 });
  const { id } = await r.gateway.create({ directory: r.directory, start: true });
  await eventually("the agent was let go", () => r.fake.starts[0]?.gone === true);
  await r.assertLawful(id);
});

test("a project that is not trusted and has settings keeps the agent waiting for its first prompt", async (t) => {
  const r = await rig(t);
  r.fake.settings = [{ path: ".fake.json", keys: ["hooks.start"] }];
  await r.gateway.create({ directory: r.directory, start: true });
  await staysSo("no agent is started", () => r.fake.starts.length === 0);
});

describe("another agent that is chosen before the first prompt", () => {
  const both = async (t: TestContext, more: Partial<GatewayOptions> = {}) => {
    const [first, second] = [new FakeAgent(), new FakeAgent()];
    second.onPrompt = answering;
    const agents = new Map([
      ["fake", first],
      ["other", second],
    ]);
    return { r: await rig(t, { agents, ...more }), first, second };
  };

  test("takes that prompt, and the one that was started ahead is let go and has no word in the session", async (t) => {
    const { r, first, second } = await both(t);
    const { id } = await r.gateway.create({ directory: r.directory });
    assert.equal(await r.gateway.work.start(id), true);
    first.last.say({ type: "session", nativeId: "first-1", model: "m1" });
    await r.gateway.update(id, { agent: "other" });
    await eventually("the first agent is gone", () => first.last.gone);
    first.last.say({ type: "session", nativeId: "first-2", model: "m2" });
    await r.gateway.update(id, { mode: "plan" });
    assert.deepEqual(first.last.choices, []);
    await r.gateway.prompt(id, text("hello"));
    await r.until(id, ended);
    assert.deepEqual([first.last.prompts.length, second.last.prompts.length], [0, 1]);
    assert.deepEqual([second.last.options.resume, second.last.options.mode], [undefined, "plan"]);
    const { agent, nativeId, model } = await r.gateway.get(id);
    assert.deepEqual({ agent, nativeId, model }, { agent: "other", nativeId: "native-1", model: undefined });
    const kinds = (await r.assertLawful(id)).map(({ type }) => type);
    assert.ok(!kinds.includes("session.ended"), "the exit of the first agent is not the session's");
  });

  test("takes that prompt also while the first one still starts", async (t) => {
    const { r, first, second } = await both(t);
    const gate = Promise.withResolvers<void>();
    first.gate = gate.promise;
    const { id } = await r.gateway.create({ directory: r.directory });
    const started = r.gateway.work.start(id);
    await eventually("the first agent is started", () => first.starts.length === 1);
    await r.gateway.prompt(id, { ...text("hello"), agent: "other" });
    await r.until(id, ended);
    gate.resolve();
    assert.equal(await started, true, "the agent that serves the session is ready");
    assert.deepEqual([first.last.gone, first.last.prompts.length, second.last.prompts.length], [true, 0, 1]);
    await r.assertLawful(id);
  });

  test("is let go when it was idle for its time", async (t) => {
    const { r, first, second } = await both(t, { idleCloseMs: 50 });
    const { id } = await r.gateway.create({ directory: r.directory });
    await r.gateway.work.start(id);
    await r.gateway.update(id, { agent: "other" });
    await eventually("the first agent is gone", () => first.last.gone);
    assert.equal(await r.gateway.work.start(id), true);
    await eventually("the second agent is let go", () => second.last.gone);
  });

  test("hears nothing of what the first one said while the choice was stored", async (t) => {
    const held = Promise.withResolvers<void>();
    const storing = Promise.withResolvers<void>();
    const wrap = (log: Log): Log =>
      wrapHolds(log, ({ append }) => ({
        append: async (right, entries, ...rest) => {
          if (entries.some(({ draft }) => draft.type === "session.updated" && draft.data.agent !== undefined)) {
            storing.resolve();
            await held.promise;
          }
          return append(right, entries, ...rest);
        },
      }));
    const [first, second] = [new FakeAgent(), new FakeAgent()];
    const agents = new Map([
      ["fake", first],
      ["other", second],
    ]);
    const r = await rig(t, { agents, wrap });
    const { id } = await r.gateway.create({ directory: r.directory });
    await r.gateway.work.start(id);
    const changed = r.gateway.update(id, { agent: "other" });
    await storing.promise;
    first.last.say({ type: "session", nativeId: "first-1", model: "m1" });
    held.resolve();
    await changed;
    await r.gateway.update(id, { title: "later" });
    const { agent, nativeId, model } = await r.gateway.get(id);
    assert.deepEqual({ agent, nativeId, model }, { agent: "other", nativeId: undefined, model: undefined });
  });

  test("is not asked to go on with the first one's conversation", async (t) => {
    const { r, first, second } = await both(t, { idleCloseMs: 30 });
    const gate = Promise.withResolvers<void>();
    first.closeGate = gate.promise;
    const { id } = await r.gateway.create({ directory: r.directory });
    await r.gateway.work.start(id);
    first.last.say({ type: "session", nativeId: "first-1" });
    await eventually("it is known", async () => (await r.gateway.get(id)).nativeId === "first-1");
    await eventually("the first agent leaves", () => first.last.closes === 1);
    const started = r.gateway.work.start(id);
    await r.gateway.update(id, { agent: "other" });
    gate.resolve();
    await started;
    assert.deepEqual(
      second.starts.map(({ options }) => options.resume),
      [undefined],
    );
  });

  test("takes that prompt also where the first one fails to leave", async (t) => {
    const { r, first, second } = await both(t);
    const gate = Promise.withResolvers<void>();
    first.closeGate = gate.promise;
    const { id } = await r.gateway.create({ directory: r.directory });
    await r.gateway.work.start(id);
    await r.gateway.prompt(id, { ...text("hello"), agent: "other" });
    await eventually("the first agent leaves", () => first.last.closes === 1);
    gate.reject(new Error("it does not close"));
    const end = await r.until(id, ended);
    assert.equal(end.type === "turn.ended" && end.data.reason, "end_turn");
    assert.equal(second.last.prompts.length, 1);
  });

  test("does not let the session end before the first one is gone", async (t) => {
    const { r, first } = await both(t);
    const gate = Promise.withResolvers<void>();
    first.closeGate = gate.promise;
    const { id } = await r.gateway.create({ directory: r.directory });
    await r.gateway.work.start(id);
    await r.gateway.update(id, { agent: "other" });
    let isRemoved = false;
    const removed = r.gateway.remove(id).then(() => {
      isRemoved = true;
    });
    await staysSo("the session waits for it", () => !isRemoved);
    gate.resolve();
    await removed;
    assert.equal(first.last.gone, true);
  });
});

describe("a start that is asked for", () => {
  test("resolves when the agent is ready, and starts no second one", async (t) => {
    const r = await rig(t);
    const { id } = await r.gateway.create({ directory: r.directory, start: true });
    assert.equal(await r.gateway.work.start(id), true);
    assert.equal(await r.gateway.work.start(id), true);
    assert.equal(r.fake.starts.length, 1);
  });

  test("that fails says why, and the next one tries again", async (t) => {
    const r = await rig(t);
    r.fake.failure = new Error("not today");
    const { id } = await r.gateway.create({ directory: r.directory });
    await assert.rejects(r.gateway.work.start(id), { code: "unavailable", message: "not today" });
    r.fake.failure = undefined;
    assert.equal(await r.gateway.work.start(id), true);
  });

  test("waits for a prompt where the project has settings and is not trusted", async (t) => {
    const r = await rig(t);
    r.fake.settings = [{ path: ".fake.json", keys: ["hooks.start"] }];
    const { id } = await r.gateway.create({ directory: r.directory });
    assert.equal(await r.gateway.work.start(id), false);
    assert.equal(r.fake.starts.length, 0);
  });

  test("leaves a turn that runs alone, though its rules have changed", async (t) => {
    const r = await rig(t);
    r.fake.ruledAtStart = (rules) => rules.length > 0;
    const { id } = await r.gateway.create({ directory: r.directory });
    const prompted = r.fake.prompted();
    await r.gateway.prompt(id, { ...text("one"), id: "msg_one" });
    const session = await prompted;
    await r.gateway.update(id, { permissions: [{ action: "bash", pattern: "*", verdict: "deny" }] });
    assert.equal(await r.gateway.work.start(id), true);
    assert.equal(session.gone, false);
    session.say({ type: "turn.finished", turn: "msg_one", reason: "end_turn" });
    const end = await r.until(id, ended);
    assert.equal(end.type === "turn.ended" && end.data.reason, "end_turn");
  });

  test("of an agent that is not configured any more says so", async (t) => {
    const r = await rig(t);
    const { id } = await r.gateway.create({ directory: r.directory });
    const later = gatewayOn(r.log, r.directory, { agents: new Map([["x", new FakeAgent()]]), defaultAgent: "x" });
    await assert.rejects(later.work.start(id), { code: "agent_not_found" });
  });

  test("after which no prompt comes is let go when it was idle for its time", async (t) => {
    const r = await rig(t, { idleCloseMs: 50 });
    const { id } = await r.gateway.create({ directory: r.directory });
    await r.gateway.work.start(id);
    await eventually("the agent was let go", () => r.fake.starts[0]?.gone === true);
  });
});
