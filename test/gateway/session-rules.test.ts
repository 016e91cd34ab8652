import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionRule } from "../../src/core/events/values.ts";
import { isRuled } from "../../src/core/permissions/is-ruled.ts";
import { FakeAgent, type FakeSession } from "./fake-agent.ts";
import { ended, rig, text } from "./rig.ts";

const DENY: PermissionRule[] = [{ action: "*", pattern: "*", verdict: "deny" }];

function twoAgents(): { fake: FakeAgent; other: FakeAgent; agents: Map<string, FakeAgent> } {
  const fake = new FakeAgent();
  const other = new FakeAgent();
  for (const agent of [fake, other])
    agent.onPrompt = (session: FakeSession) => session.say({ type: "turn.finished", reason: "end_turn" });
  return {
    fake,
    other,
    agents: new Map([
      ["fake", fake],
      ["other", other],
    ]),
  };
}

test("a session without a past goes over to another agent with its first prompt, and stays there", async (t) => {
  const { fake, other, agents } = twoAgents();
  const r = await rig(t, { agents });
  const { id } = await r.gateway.create({ directory: r.directory, model: "m1" });
  await r.gateway.update(id, { agent: "other" });
  assert.equal((await r.gateway.get(id)).model, undefined, "the model was the first agent's");
  await r.gateway.update(id, { agent: "fake" });
  const first = { ...text("go"), id: "msg_first", agent: "other", model: "m2" };
  const receipt = await r.gateway.prompt(id, first);
  await r.until(id, ended);
  assert.deepEqual([fake.starts.length, other.last.prompts.length, other.last.options.model], [0, 1, "m2"]);
  const state = await r.gateway.get(id);
  assert.deepEqual([state.agent, state.model], ["other", "m2"]);
  assert.deepEqual(await r.gateway.prompt(id, first), receipt, "a repeat is the same prompt");
  await assert.rejects(r.gateway.prompt(id, { ...text("back"), agent: "fake" }), { code: "invalid" });
  await assert.rejects(r.gateway.update(id, { agent: "fake" }), /start a new session for fake/);
  await assert.rejects(r.gateway.prompt(id, { ...text("?"), agent: "nobody" }), { code: "agent_not_found" });
  await r.assertLawful(id);
});

test("who an agent was before is forgotten with the session's memory: it is read back with the new one", async (t) => {
  const { fake, other, agents } = twoAgents();
  const r = await rig(t, { agents });
  const { id } = await r.gateway.create({ directory: r.directory });
  await r.gateway.update(id, { agent: "other" });
  await r.gateway.prompt(id, text("go"));
  await r.until(id, ended);
  assert.deepEqual([fake.starts.length, other.starts.length], [0, 1]);
});

test("a sub-agent's session has the rules of the one it works for, and no other agent", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  await r.gateway.update(id, { permissions: DENY });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("go"));
  const session = await got;
  const child = { id: "sub-1" };
  session.say({ type: "turn.begun" }, child);
  session.say({ type: "permission", ask: "child-ask", action: "edit", patterns: ["a.txt"] }, child);
  await r.fake.answered(1);
  assert.equal(session.answers[0]?.answer.outcome, "reject");
  const [state] = await r.gateway.list({ parent: id, limit: 5 });
  assert.deepEqual(state?.permissions, DENY);
  await assert.rejects(r.gateway.update(state?.id ?? "", { agent: "fake2" }), { code: "invalid" });
  assert.deepEqual(await r.gateway.asks(), []);
});

test("instructions for a turn are said before the words, to an agent that has no other place for them", async (t) => {
  const { fake, agents } = twoAgents();
  const r = await rig(t, { agents });
  const { id } = await r.gateway.create({ directory: r.directory });
  await r.gateway.prompt(id, { ...text("go"), system: "Be brief." });
  await r.until(id, ended);
  assert.deepEqual(
    fake.last.prompts[0]?.parts.map((part) => part.type === "text" && part.text),
    ["Be brief.", "go"],
  );
  const events = await r.assertLawful(id);
  const said = events.find((event) => event.type === "item.completed");
  assert.equal(said?.type === "item.completed" && said.data.item.kind === "message" && said.data.item.text, "go");
});

test("context is kept with a receipt of its own, can be taken back, and keeps nobody waiting at a boot", async (t) => {
  const { fake, agents } = twoAgents();
  const r = await rig(t, { agents });
  const { id } = await r.gateway.create({ directory: r.directory });
  const keep = (name: string): Promise<{ status: string }> =>
    r.gateway.prompt(id, { ...text(name), id: `msg_${name}`, delivery: "context" });
  assert.equal((await keep("one")).status, "kept");
  await keep("two");
  assert.equal((await keep("one")).status, "kept", "a repeat is the same");
  await r.gateway.withdraw(id, "msg_two");
  assert.deepEqual(await r.log.unsettled(), []);
  assert.equal(fake.starts.length, 0, "no agent is needed for it");
  await r.gateway.prompt(id, text("go"));
  await r.until(id, ended);
  assert.deepEqual(
    fake.last.prompts[0]?.parts.map((part) => part.type === "text" && part.text),
    ["one", "go"],
  );
  await r.assertLawful(id);
});

test("an agent that rules bind by its start is started anew when the first rule comes, and when the last one goes", async (t) => {
  const r = await rig(t);
  r.fake.ruledAtStart = isRuled;
  r.fake.onPrompt = (session) => {
    session.say({ type: "session", nativeId: "native-1" });
    session.say({ type: "turn.finished", reason: "end_turn" });
  };
  const { id } = await r.gateway.create({ directory: r.directory });
  const turn = async (permissions?: PermissionRule[]): Promise<void> => {
    if (permissions) await r.gateway.update(id, { permissions });
    const { turn } = await r.gateway.prompt(id, text("go"));
    await r.until(id, (event) => ended(event) && event.turn === turn);
  };
  await turn();
  await turn([{ action: "bash", pattern: "ls *", verdict: "allow" }]);
  assert.equal(r.fake.starts.length, 1, "a rule that only allows binds nothing");
  await turn(DENY);
  await turn();
  assert.deepEqual([r.fake.starts.length, r.fake.last.options.resume], [2, "native-1"]);
  await turn([]);
  assert.deepEqual(
    r.fake.starts.map(({ gone }) => gone),
    [true, true, false],
  );
  await r.assertLawful(id);
});

test("the past is wanted from an agent whose session is taken over, and from no other", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = (session) => session.say({ type: "turn.finished", reason: "end_turn" });
  const { id } = await r.gateway.create({ directory: r.directory, resume: "native-9" });
  assert.deepEqual([r.fake.last.options.resume, r.fake.last.options.tellPast], ["native-9", true]);
  const { turn } = await r.gateway.prompt(id, text("go"));
  await r.until(id, (event) => ended(event) && event.turn === turn);
  r.fake.last.exit(0);
  await r.gateway.prompt(id, text("again"));
  await r.until(id, (event) => ended(event) && event.turn !== turn);
  assert.deepEqual(
    [r.fake.starts.length, r.fake.last.options.resume, r.fake.last.options.tellPast],
    [2, "native-9", false],
  );
});
