import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { answering, FakeAgent } from "./fake-agent.ts";
import { ended, gatewayOn, type Rig, rig, text } from "./rig.ts";

interface Told extends Rig {
  id: string;
  /** Gives a prompt, and resolves with the end of its turn. */
  turn(words: string, id?: string): Promise<{ reason: string; message: string | undefined }>;
}

/** Three turns with an agent that drops turns itself: msg_1, msg_2 and msg_3. */
async function threeTurns(t: TestContext): Promise<Told> {
  const r = await rig(t);
  r.fake.capabilities = { rewind: "native" };
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  const turn: Told["turn"] = async (words, prompt) => {
    const { turn } = await r.gateway.prompt(id, text(words, prompt === undefined ? {} : { id: prompt }));
    const end = await r.until(id, (event) => ended(event) && event.turn === turn);
    assert.ok(end.type === "turn.ended");
    return { reason: end.data.reason, message: end.data.error?.message };
  };
  for (const one of ["msg_1", "msg_2", "msg_3"]) await turn(`do ${one}`, one);
  return { ...r, id, turn };
}

const WORDS = "the agent could not drop the turns that were taken back, so it was not given the prompt";

test("the agent drops the turns that were taken back when the next prompt makes it final, and only then", async (t) => {
  const { gateway, fake, id, turn, events, assertLawful } = await threeTurns(t);
  await gateway.work.revert(id, { messageID: "msg_3" });
  await gateway.work.unrevert(id);
  await turn("nothing was taken back");
  assert.deepEqual(fake.last.rewinds, []);
  await gateway.work.revert(id, { messageID: "msg_2" });
  assert.deepEqual(fake.last.rewinds, [], "a revert is a wish until the next prompt");
  const order: string[] = [];
  fake.onRewind = async () => void order.push("rewind");
  fake.onPrompt = (session, prompt) => {
    order.push("prompt");
    answering(session, prompt);
  };
  assert.equal((await turn("another second")).reason, "end_turn");
  assert.equal(fake.starts.length, 1, "the agent goes on: it is not started anew");
  const rewinds: readonly (readonly (readonly string[])[])[] = fake.last.rewinds;
  assert.deepEqual(
    rewinds.map((turns) => turns.slice(0, 2)),
    [[["msg_2"], ["msg_3"]]],
  );
  await turn("third");
  assert.deepEqual(order, ["rewind", "prompt", "prompt"], "it is asked once, before the prompt");
  assert.deepEqual((await gateway.get(id)).toRewind, []);
  await assertLawful(id);
  const shown = (await events(id)).flatMap((event) =>
    event.type === "session.updated" && event.data.toRewind ? [event.data.toRewind.length] : [],
  );
  assert.deepEqual(shown, [3, 0]);
});

test("a shell turn makes a revert final; the agent hears of it before its next prompt and is not told of commands that it never ran", async (t) => {
  const { gateway, fake, id, turn, until } = await threeTurns(t);
  const run = async (): Promise<void> => {
    const { turn } = await gateway.work.shell(id, { command: "true" });
    await until(id, (event) => ended(event) && event.turn === turn);
  };
  await run();
  await gateway.work.revert(id, { messageID: "msg_3" });
  await run();
  assert.deepEqual(fake.last.rewinds, []);
  await turn("go on");
  assert.deepEqual(fake.last.rewinds, [[["msg_3"]]]);
});

test("a rewind that fails fails the turn with words; the prompt is not given, and the next one tries again", async (t) => {
  const { gateway, fake, id, turn, assertLawful } = await threeTurns(t);
  await gateway.work.revert(id, { messageID: "msg_3" });
  fake.onRewind = () => Promise.reject(new Error("the disk is full"));
  assert.deepEqual(await turn("fourth", "msg_4"), { reason: "error", message: `${WORDS}: the disk is full` });
  assert.equal(fake.last.prompts.length, 3, "an agent that still remembers has not got the prompt");
  fake.onRewind = undefined;
  assert.equal((await turn("fifth")).reason, "end_turn");
  assert.deepEqual(fake.last.rewinds, [[["msg_3"]], [["msg_3"]]]);
  assert.equal(fake.last.prompts.length, 4);
  await assertLawful(id);
});

test("a prompt that is cancelled during the rewind is not given", async (t) => {
  const { gateway, fake, id, turn, until } = await threeTurns(t);
  await gateway.work.revert(id, { messageID: "msg_3" });
  const gate = Promise.withResolvers<void>();
  fake.onRewind = () => gate.promise;
  const asked = once(fake.events, "rewind");
  fake.onCancel = () => gate.resolve();
  const { turn: stopped } = await gateway.prompt(id, text("stop me"));
  await asked;
  await gateway.cancel(id, { queue: "clear" });
  const end = await until(id, (event) => ended(event) && event.turn === stopped);
  assert.equal(end.type === "turn.ended" && end.data.reason, "cancelled");
  assert.ok(!JSON.stringify(fake.starts.flatMap(({ prompts }) => prompts)).includes("stop me"));
  assert.equal((await turn("after it")).reason, "end_turn");
});

test("an agent that exits during the rewind may have dropped the turns or not: the next one begins afresh, and is told the rest", async (t) => {
  const { gateway, fake, id, turn, assertLawful } = await threeTurns(t);
  await gateway.work.revert(id, { messageID: "msg_2" });
  fake.onRewind = async (session) => {
    session.exit(1);
    throw new Error("it exited");
  };
  assert.equal((await turn("lost", "msg_lost")).reason, "error");
  fake.onPrompt = (session, prompt) => {
    session.say({ type: "session", nativeId: "native-2" });
    answering(
      { ...session, say: (signal) => signal.type !== "session" && session.say(signal) } as typeof session,
      prompt,
    );
  };
  assert.equal((await turn("go on")).reason, "end_turn");
  assert.deepEqual([fake.last.options.resume, fake.last.rewinds], [undefined, []]);
  const heard = JSON.stringify(fake.last.prompts);
  assert.match(heard, /do msg_1.*go on/s);
  assert.doesNotMatch(heard, /do msg_2|do msg_3/);
  await turn("further");
  assert.equal(fake.starts.length, 2);
  assert.deepEqual((await gateway.get(id)).toRewind, []);
  assert.doesNotMatch(JSON.stringify(fake.last.prompts.at(-1)), /do msg_1/, "it has a memory again");
  await assertLawful(id);
});

test("after a restart between the cut and the rewind the agent's old memory is not used", async (t) => {
  const { gateway, fake, id, log, directory, until } = await threeTurns(t);
  await gateway.work.revert(id, { messageID: "msg_3" });
  const asked = once(fake.events, "rewind");
  fake.onRewind = () => Promise.reject(new Error("no"));
  await gateway.prompt(id, text("cut"));
  await asked;
  await until(id, ended);
  await gateway.shutdown();
  const next = new FakeAgent();
  next.capabilities = { rewind: "native" };
  next.onPrompt = answering;
  const again = gatewayOn(log, directory, { agents: new Map([["fake", next]]) });
  await again.tenure.recover();
  const { turn } = await again.prompt(id, text("go on"));
  await until(id, (event) => ended(event) && event.turn === turn);
  assert.deepEqual([next.last.options.resume, next.last.rewinds], [undefined, []]);
  assert.match(JSON.stringify(next.last.prompts), /do msg_1.*do msg_2.*go on/s);
  assert.doesNotMatch(JSON.stringify(next.last.prompts), /do msg_3/);
  await again.shutdown();
});

test("a native fork of a session whose agent still remembers turns that were cut is refused", async (t) => {
  const { gateway, fake, id, turn } = await threeTurns(t);
  fake.capabilities = { rewind: "native", fork: "native" };
  await gateway.work.revert(id, { messageID: "msg_3" });
  fake.onRewind = () => Promise.reject(new Error("no"));
  await turn("fails");
  await assert.rejects(gateway.work.fork(id), { code: "unsupported", message: /still remembers turns/ });
});
