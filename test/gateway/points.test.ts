import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Prompt } from "../../src/core/events/values.ts";
import { FakeAgent, type FakeSession } from "./fake-agent.ts";
import { ended, gatewayOn, type Rig, rig, text } from "./rig.ts";

/** Answers each prompt with one step, and tells the point of its memory that it has reached: `p-` and the prompt's id. */
function pointing(session: FakeSession, { id }: Prompt): void {
  session.say({ type: "session", nativeId: `native-of-${id}` });
  session.say({ type: "text.done", item: `m-${id}`, kind: "message", text: "Hello" });
  session.say({ type: "step.finished", point: `step-${id}` });
  session.say({ type: "turn.finished", turn: id, reason: "end_turn", point: `p-${id}` });
}

function withPoints(fake: FakeAgent): FakeAgent {
  fake.capabilities = { fork: "point", rewind: "point" };
  fake.copyAt = (resume, point) => `${resume.split("@")[0]}@${point ?? ""}`;
  fake.onPrompt = pointing;
  return fake;
}

interface Told extends Rig {
  id: string;
  turn(session: string, prompt: string): Promise<void>;
}

/** Three turns with an agent that copies its sessions up to a point: msg_1, msg_2 and msg_3. */
async function threeTurns(t: TestContext): Promise<Told> {
  const r = await rig(t);
  withPoints(r.fake);
  const { id } = await r.gateway.create({ directory: r.directory });
  const turn: Told["turn"] = async (session, prompt) => {
    const { turn: begun } = await r.gateway.prompt(session, text(`do ${prompt}`, { id: prompt }));
    await r.until(session, (event) => ended(event) && event.turn === begun);
  };
  for (const one of ["msg_1", "msg_2", "msg_3"]) await turn(id, one);
  return { ...r, id, turn };
}

test("a fork resumes a copy up to the last point of the copied turns", async (t) => {
  const { gateway, fake, id, turn, assertLawful } = await threeTurns(t);
  const whole = await gateway.work.fork(id);
  assert.equal(whole.nativeId, "native-of-msg_3@p-msg_3");
  const early = await gateway.work.fork(id, { before: "msg_3" });
  assert.equal(early.nativeId, "native-of-msg_3@p-msg_2");
  assert.equal((await gateway.work.fork(id, { before: "msg_1" })).nativeId, undefined, "nothing was said before");
  await turn(early.id, "msg_4");
  assert.equal(fake.last.options.resume, "native-of-msg_3@p-msg_2");
  assert.equal((await gateway.get(early.id)).nativeId, "native-of-msg_4");
  await assertLawful(early.id);
});

test("a busy session is forked up to the turn before, and a turn without an end up to its last step", async (t) => {
  const { gateway, fake, id, until } = await threeTurns(t);
  fake.onPrompt = (session) => {
    session.say({ type: "text.done", item: "half", kind: "message", text: "Half" });
    session.say({ type: "step.finished", point: "half-way" });
  };
  const { turn } = await gateway.prompt(id, text("stays busy", { id: "msg_busy" }));
  await until(id, (event) => event.type === "step.ended" && event.turn === turn);
  assert.match((await gateway.work.fork(id)).nativeId ?? "", /@p-msg_3$/);
  fake.last.exit(1);
  await until(id, (event) => ended(event) && event.turn === turn);
  assert.match((await gateway.work.fork(id)).nativeId ?? "", /@half-way$/);
});

test("after a revert the agent is opened anew with a copy, in the same step as the cut", async (t) => {
  const { gateway, fake, id, turn, events, assertLawful } = await threeTurns(t);
  await gateway.work.revert(id, { messageID: "msg_3" });
  assert.equal((await gateway.get(id)).nativeId, "native-of-msg_3", "a revert is a wish until the next prompt");
  await gateway.work.unrevert(id);
  await gateway.work.revert(id, { messageID: "msg_2" });
  await turn(id, "msg_4");
  assert.equal(fake.starts.length, 2);
  assert.equal(fake.last.options.resume, "native-of-msg_3@p-msg_1");
  assert.deepEqual(fake.last.rewinds, []);
  assert.equal(fake.last.prompts.length, 1);
  const changed = (await events(id)).filter((event) => event.type === "session.updated" && event.data.nativeId);
  assert.match(JSON.stringify(changed.at(-2)), /native-of-msg_3@p-msg_1/);
  await gateway.work.revert(id, { messageID: "msg_1" });
  await turn(id, "msg_5");
  assert.equal(fake.last.options.resume, "native-of-msg_4@", "an empty copy");
  await assertLawful(id);
});

test("a restart between the cut and the agent's first word changes nothing", async (t) => {
  const { gateway, fake, id, log, directory, until } = await threeTurns(t);
  await gateway.work.revert(id, { messageID: "msg_2" });
  fake.onPrompt = (session) => session.exit(1);
  const { turn } = await gateway.prompt(id, text("dies at once"));
  await until(id, (event) => ended(event) && event.turn === turn);
  await gateway.shutdown();
  const next = withPoints(new FakeAgent());
  const again = gatewayOn(log, directory, { agents: new Map([["fake", next]]) });
  await again.tenure.recover();
  const { turn: later } = await again.prompt(id, text("go on"));
  await until(id, (event) => ended(event) && event.turn === later);
  assert.equal(next.last.options.resume, "native-of-msg_3@p-msg_1");
  await again.shutdown();
});

test("turns from before there were points are neither forked nor reverted to; those before any turn are", async (t) => {
  const r = await rig(t);
  withPoints(r.fake).onPrompt = (session, { id }) => {
    session.say({ type: "session", nativeId: "old" });
    session.say({ type: "text.done", item: `m-${id}`, kind: "message", text: "Hello" });
    session.say({ type: "turn.finished", turn: id, reason: "end_turn" });
  };
  const { id } = await r.gateway.create({ directory: r.directory });
  for (const prompt of ["msg_1", "msg_2"]) {
    const { turn } = await r.gateway.prompt(id, text("old", { id: prompt }));
    await r.until(id, (event) => ended(event) && event.turn === turn);
  }
  const refused = { code: "unsupported", message: /from before Parley noted where in its memory they end/ };
  await assert.rejects(r.gateway.work.fork(id), refused);
  await assert.rejects(r.gateway.work.revert(id, { messageID: "msg_2" }), refused);
  assert.equal((await r.gateway.work.fork(id, { before: "msg_1" })).nativeId, undefined);
  await r.gateway.work.revert(id, { messageID: "msg_1" });
});

test("the fork of a session whose agent has no memory of it is told the conversation", async (t) => {
  const r = await rig(t);
  withPoints(r.fake).onPrompt = (session, prompt) => {
    session.say({ type: "text.done", item: `m-${prompt.id}`, kind: "message", text: "Hello" });
    session.say({ type: "turn.finished", turn: prompt.id, reason: "end_turn", point: "p" });
  };
  const { id } = await r.gateway.create({ directory: r.directory });
  const ask = async (session: string, words: string): Promise<void> => {
    const { turn } = await r.gateway.prompt(session, text(words));
    await r.until(session, (event) => ended(event) && event.turn === turn);
  };
  await ask(id, "first words");
  const fork = await r.gateway.work.fork(id);
  await ask(fork.id, "second words");
  assert.match(JSON.stringify(r.fake.last.prompts), /first words.*second words/s);
});
