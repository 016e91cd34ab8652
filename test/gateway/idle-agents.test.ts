import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "../../src/core/metrics.ts";
import { eventually } from "../support/eventually.ts";
import { answering, type FakeSession } from "./fake-agent.ts";
import { ended, type Rig, rig, text } from "./rig.ts";

/** A session whose agent has answered a prompt, and that agent. */
async function served(r: Rig): Promise<{ id: string; agent: FakeSession }> {
  const { id } = await r.gateway.create({ directory: r.directory });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("one"));
  const agent = await got;
  await r.until(id, ended);
  return { id, agent };
}

const closed = (event: { type: string }): boolean => event.type === "session.ended";

test("of the agents without work the one that is idle longest is let go first", async (t) => {
  const metrics = createMetrics();
  const r = await rig(t, { idleAgents: 3, metrics });
  r.fake.onPrompt = answering;
  const all: { id: string; agent: FakeSession }[] = [];
  for (let i = 0; i < 10; i++) {
    all.push(await served(r));
    const gone = all.slice(0, -3);
    await eventually(`after ${i + 1} sessions three agents run`, () => gone.every(({ agent }) => agent.gone));
    assert.equal(all.filter(({ agent }) => !agent.gone).length, Math.min(i + 1, 3));
  }
  const [oldest] = all.slice(-3);
  assert.ok(oldest);
  const again = await r.gateway.prompt(oldest.id, text("two"));
  await r.until(oldest.id, (event) => ended(event) && event.turn === again.turn);
  assert.equal(oldest.agent.prompts.length, 2, "one that was kept serves the next prompt, too");
  await served(r);
  await eventually("another one is the oldest now", () => all.at(-2)?.agent.gone === true);
  assert.equal(oldest.agent.gone, false);
  assert.match(metrics.render(), /^parley_agents_idle 3$/m);
  assert.match(metrics.render(), /^parley_agents_over_limit_total 8$/m);
  for (const { id } of all) await r.assertLawful(id);
});

test("an agent with a turn, an ask, a task in the background or a sub-agent is never let go for it", async (t) => {
  const r = await rig(t, { idleAgents: 0 });
  const starts: FakeSession[] = [];
  const begin = async (said: (session: FakeSession, turn: string) => void): Promise<string> => {
    const { id } = await r.gateway.create({ directory: r.directory });
    const got = r.fake.prompted();
    const { turn } = await r.gateway.prompt(id, text("go"));
    const session = await got;
    starts.push(session);
    said(session, turn ?? "");
    return id;
  };
  const finish = (session: FakeSession): void => session.say({ type: "turn.finished", reason: "end_turn" });
  const turn = await begin((session) => session.say({ type: "text", item: "m", kind: "message", delta: "Hm" }));
  const ask = await begin((session) => session.say({ type: "permission", ask: "p", action: "edit" }));
  const background = await begin((session) => {
    session.say({ type: "tool.seen", call: "c", name: "bash", input: {} });
    session.say({ type: "tool.backgrounded", call: "c" });
    finish(session);
  });
  const parent = await begin((session) => {
    session.say({ type: "turn.begun" }, { id: "sub" });
    finish(session);
  });
  await r.until(turn, (event) => event.type === "item.delta");
  await r.until(ask, (event) => event.type === "permission.requested");
  await r.until(background, ended);
  await r.until(parent, ended);
  r.fake.onPrompt = answering;
  const other = await served(r);
  await r.until(other.id, closed);
  assert.deepEqual(
    starts.map(({ gone }) => gone),
    [false, false, false, false],
  );
  const [, , task, owner] = starts;
  task?.say({ type: "tool.output", call: "c", delta: "done" });
  task?.say({ type: "tool.done", call: "c", ok: true });
  await r.until(background, closed);
  owner?.say({ type: "turn.finished", reason: "end_turn" }, { id: "sub" });
  await r.until(parent, closed);
});

test("a prompt that comes while its agent is being closed is served, by another start of it", async (t) => {
  const metrics = createMetrics();
  let letGo = (): void => {};
  const counter: typeof metrics.counter = (name, help) => {
    const { inc } = metrics.counter(name, help);
    return {
      inc(...counted) {
        inc(...counted);
        if (name === "parley_agents_over_limit_total") letGo();
      },
    };
  };
  const r = await rig(t, { idleAgents: 0, metrics: { ...metrics, counter } });
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  const receipts: Promise<unknown>[] = [];
  const done = Promise.withResolvers<void>();
  const PROMPTS = 200;
  // The next prompt comes in the tick in which the agent is let go, or a little later: each step of the closing meets one.
  letGo = async () => {
    if (receipts.length === PROMPTS) return done.resolve();
    for (let ticks = receipts.length; ticks > 0; ticks--) await Promise.resolve();
    receipts.push(r.gateway.prompt(id, text("next")));
  };
  receipts.push(r.gateway.prompt(id, text("first")));
  await done.promise;
  await Promise.all(receipts);
  const endsOf = async () => (await r.events(id)).filter((event) => event.type === "turn.ended");
  await eventually("each prompt's turn ends", async () => (await endsOf()).length === PROMPTS);
  assert.deepEqual(new Set((await endsOf()).map(({ data }) => data.reason)), new Set(["end_turn"]));
  const prompts = r.fake.starts.flatMap((start) => start.prompts);
  assert.equal(prompts.length, PROMPTS, "each was given once");
  const cancels = r.fake.starts.map((start) => start.cancels);
  assert.deepEqual(new Set(cancels), new Set([0]), "no turn was cancelled for it");
  t.diagnostic(`${r.fake.starts.length} starts for ${PROMPTS} prompts`);
});

test("an agent that starts is not idle: it becomes ready, however few are kept", async (t) => {
  const r = await rig(t, { idleAgents: 0 });
  const gate = Promise.withResolvers<void>();
  r.fake.gate = gate.promise;
  const ids = await Promise.all([1, 2, 3].map(async () => (await r.gateway.create({ directory: r.directory })).id));
  const started = ids.map((id) => r.gateway.work.start(id));
  await eventually("all start", () => r.fake.starts.length === ids.length);
  // The sessions come to rest while their agents start.
  for (const id of ids) await r.gateway.update(id, { title: "rests" });
  assert.ok(r.fake.starts.every(({ gone }) => !gone));
  gate.resolve();
  assert.deepEqual(await Promise.all(started), [true, true, true]);
  await eventually("they are let go when they are ready", () => r.fake.starts.every(({ gone }) => gone));
});
