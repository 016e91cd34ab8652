import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChildRef } from "../../src/agents/contract.ts";
import type { PermissionRule } from "../../src/core/events/values.ts";
import type { SessionState } from "../../src/core/session-state.ts";
import { eventually } from "../support/eventually.ts";
import type { FakeSession } from "./fake-agent.ts";
import { ended, type Rig, rig, text } from "./rig.ts";

const UPPER: ChildRef = { id: "upper", call: "c1" };
const LOWER: ChildRef = { id: "lower", parent: "upper", call: "c2" };

interface Family {
  r: Rig;
  root: string;
  agent: FakeSession;
  upper: SessionState;
  lower: SessionState;
}

async function only(r: Rig, parent: string): Promise<SessionState> {
  const [first, ...more] = await r.gateway.list({ parent, limit: 5 });
  assert.ok(first && more.length === 0, `one sub-agent of ${parent}`);
  return first;
}

/** A session whose sub-agent has a sub-agent of its own, both at work. */
async function family(t: Parameters<typeof rig>[0], permissions?: PermissionRule[]): Promise<Family> {
  const r = await rig(t);
  const { id: root } = await r.gateway.create({ directory: r.directory, ...(permissions ? { permissions } : {}) });
  const got = r.fake.prompted();
  await r.gateway.prompt(root, text("go"));
  const agent = await got;
  agent.say({ type: "tool.running", call: "c1", name: "task" });
  agent.say({ type: "turn.begun" }, UPPER);
  agent.say({ type: "tool.running", call: "c2", name: "task" }, UPPER);
  agent.say({ type: "turn.begun" }, LOWER);
  const linked = await r.until(root, (event) => event.type === "item.updated" && event.data.child !== undefined);
  const upper = linked.type === "item.updated" ? (linked.data.child ?? "") : "";
  await r.until(upper, (event) => event.type === "item.updated" && event.data.child !== undefined);
  return { r, root, agent, upper: await only(r, root), lower: await only(r, upper) };
}

test("a sub-agent of a sub-agent has the right parent and root, and its call is linked in the parent's session", async (t) => {
  const { r, root, agent, upper, lower } = await family(t);
  assert.deepEqual([upper.parent, upper.root], [root, root]);
  assert.deepEqual([lower.parent, lower.root, lower.nativeId], [upper.id, root, "lower"]);
  agent.say({ type: "turn.finished", reason: "end_turn" }, LOWER);
  agent.say({ type: "turn.finished", reason: "end_turn" }, UPPER);
  agent.say({ type: "turn.finished", reason: "end_turn" });
  for (const id of [lower.id, upper.id, root]) {
    await r.until(id, ended);
    await r.assertLawful(id);
  }
  const [first] = await r.events(lower.id);
  assert.deepEqual([first?.parent, first?.root], [upper.id, root]);
});

test("a sub-agent that is heard of before the one that it works for gets its place all the same", async (t) => {
  const r = await rig(t);
  const { id: root } = await r.gateway.create({ directory: r.directory });
  r.fake.onPrompt = (session) => {
    session.say({ type: "turn.begun" }, { id: "lower", parent: "upper" });
    session.say({ type: "session", title: "Upper" }, { id: "upper" });
    session.say({ type: "turn.begun" }, { id: "odd", parent: "odd" });
    session.say({ type: "turn.finished", reason: "cancelled" });
  };
  await r.gateway.prompt(root, text("go"));
  await r.until(root, ended);
  await eventually("all sessions are stored", async () => (await r.gateway.list({ limit: 9 })).length === 4);
  const below = await r.gateway.list({ parent: root, limit: 5 });
  assert.deepEqual(below.map(({ nativeId }) => nativeId).sort(), ["odd", "upper"]);
  const upper = below.find(({ nativeId }) => nativeId === "upper")?.id ?? "";
  await r.until(upper, (event) => event.type === "session.updated" && event.data.title === "Upper");
  assert.equal((await only(r, upper)).nativeId, "lower");
});

test("asks of a sub-agent's sub-agent are among the root's, and can be answered there", async (t) => {
  const { r, root, agent, upper, lower } = await family(t);
  agent.say({ type: "permission", ask: "a1", action: "bash", patterns: ["x"] }, LOWER);
  await r.until(lower.id, (event) => event.type === "permission.requested");
  for (const id of [root, upper.id, lower.id]) {
    const asks = await r.gateway.asks(id);
    assert.deepEqual(
      asks.map(({ session }) => session),
      [lower.id],
    );
  }
  const [ask] = await r.gateway.asks(root);
  await r.gateway.answer(root, ask?.id ?? "", { kind: "permission", outcome: "once" }, "test");
  await r.fake.answered(1);
  assert.equal(agent.answers[0]?.ask, "a1");
});

test("a cancel reaches every sub-agent, also below one that is done", async (t) => {
  const { r, root, agent, upper, lower } = await family(t);
  agent.say({ type: "turn.finished", reason: "end_turn" }, UPPER);
  await r.until(upper.id, ended);
  r.fake.onCancel = (session) => session.say({ type: "turn.finished", reason: "cancelled" });
  await r.gateway.cancel(root, { queue: "clear" });
  const end = await r.until(lower.id, ended);
  assert.ok(end.type === "turn.ended" && end.data.reason === "cancelled");
  await r.assertLawful(lower.id);
});

test("a cancel of a session whose own turn is over reaches the sub-agents that work on, and settles their asks and calls", async (t) => {
  const { r, root, agent, upper, lower } = await family(t);
  agent.say({ type: "turn.finished", reason: "end_turn" });
  await r.until(root, ended);
  agent.say({ type: "tool.running", call: "c3", name: "bash" }, LOWER);
  agent.say({ type: "permission", ask: "a1", action: "bash", patterns: ["x"], call: "c3" }, LOWER);
  await r.until(lower.id, (event) => event.type === "permission.requested");
  r.fake.onCancel = (session) => {
    for (const child of [UPPER, LOWER]) session.say({ type: "turn.finished", reason: "cancelled" }, child);
  };
  const stopped = await r.gateway.cancel(root, { queue: "clear" });
  const turns = [upper, lower].map(({ turn }) => turn?.id);
  assert.ok(turns.includes(stopped), "the answer names a turn that was stopped");
  assert.deepEqual(await r.gateway.asks(root), []);
  for (const { id } of [upper, lower]) {
    const events = await r.assertLawful(id);
    const ends = events.flatMap((event) => (event.type === "turn.ended" ? [event.data.reason] : []));
    assert.deepEqual(ends, ["cancelled"]);
  }
  assert.equal(await r.gateway.cancel(root, { queue: "clear" }), undefined, "nobody works any more");
});

test("the agent's exit ends the turns of all sub-agents, each once", async (t) => {
  const { r, root, agent, upper, lower } = await family(t);
  agent.exit(1);
  for (const id of [root, upper.id, lower.id]) {
    await r.until(id, (event) => event.type === "session.ended");
    const events = await r.assertLawful(id);
    assert.equal(events.filter(({ type }) => type === "session.ended").length, 1);
  }
});

test("rules of the session bind every sub-agent, those that it has and those that are changed", async (t) => {
  const deny: PermissionRule[] = [{ action: "read", pattern: ".env", verdict: "deny" }];
  const { r, root, agent, lower } = await family(t, deny);
  assert.deepEqual(lower.permissions, deny);
  const more: PermissionRule[] = [...deny, { action: "edit", pattern: "*", verdict: "deny" }];
  await r.gateway.update(root, { permissions: more });
  await r.until(lower.id, (event) => event.type === "session.updated" && event.data.permissions?.length === 2);
  agent.say({ type: "permission", ask: "a1", action: "edit", patterns: ["x"] }, LOWER);
  await r.fake.answered(1);
  assert.equal(agent.answers[0]?.answer.outcome, "reject");
});

test("an always that is given on the session holds for its sub-agents, those that it has and those to come", async (t) => {
  const { r, root, agent, upper } = await family(t);
  const ask = (key: string, child?: ChildRef): void =>
    agent.say({ type: "permission", ask: key, action: "bash", command: `touch ${key}` }, child);
  ask("lower", LOWER);
  await eventually("the sub-agent's ask is open", async () => (await r.gateway.asks(root)).length === 1);
  ask("own");
  await r.until(root, (event) => event.type === "permission.requested");
  const asks = await r.gateway.asks(root);
  assert.deepEqual([asks.length, asks.at(-1)?.session], [2, root], "oldest first");
  const own = asks.at(-1);
  await r.gateway.answer(root, own?.id ?? "", { kind: "permission", outcome: "always" }, "test");
  await r.fake.answered(2);
  ask("upper", UPPER);
  ask("later", { id: "later" });
  await r.fake.answered(4);
  const kinds = agent.answers.map(({ ask: key, answer }) => [key, answer.outcome]);
  assert.deepEqual(kinds, [
    ["own", "always"],
    ["lower", "once"],
    ["upper", "once"],
    ["later", "once"],
  ]);
  const resolved = (await r.events(upper.id)).find((event) => event.type === "permission.resolved");
  assert.ok(resolved?.type === "permission.resolved" && resolved.data.by === "rule");
});

test("an always that is given to a sub-agent does not hold for the session", async (t) => {
  const { r, root, agent, upper } = await family(t);
  agent.say({ type: "permission", ask: "upper", action: "bash", command: "touch upper" }, UPPER);
  await r.until(upper.id, (event) => event.type === "permission.requested");
  const [given] = await r.gateway.asks(root);
  await r.gateway.answer(root, given?.id ?? "", { kind: "permission", outcome: "always" }, "test");
  agent.say({ type: "permission", ask: "lower", action: "bash", command: "touch lower" }, LOWER);
  await r.fake.answered(2);
  assert.equal(agent.answers[1]?.answer.outcome, "once", "it holds for the sub-agent's own sub-agents");
  agent.say({ type: "permission", ask: "own", action: "bash", command: "touch own" });
  await r.until(root, (event) => event.type === "permission.requested");
  assert.equal((await r.gateway.asks(root)).length, 1, "the session's own agent asks");
});

test("a session is not let go while a sub-agent's sub-agent works, and is deleted with all of them", async (t) => {
  const { r, root, agent, upper, lower } = await family(t);
  agent.say({ type: "turn.finished", reason: "end_turn" }, UPPER);
  agent.say({ type: "turn.finished", reason: "end_turn" });
  await r.until(root, ended);
  assert.equal(agent.gone, false);
  await r.gateway.remove(root);
  for (const id of [root, upper.id, lower.id]) await assert.rejects(r.gateway.get(id), { code: "session_not_found" });
  assert.deepEqual(await r.gateway.list({ limit: 5 }), []);
});
