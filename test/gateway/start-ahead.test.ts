import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { staysSo } from "../support/time.ts";
import { answering } from "./fake-agent.ts";
import { ended, rig, text } from "./rig.ts";

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
