import assert from "node:assert/strict";
import { test } from "node:test";
import { call, calls, endOf, houseRig, playing, say } from "./support.ts";

test("a refusal that says stop ends the turn with its step, one that does not lets the model go on", async (t) => {
  for (const stop of [true, false]) {
    const { model, asked } = playing([...call("write", { path: "a.txt", content: "a" })], say("I left it."));
    const made = await houseRig(t, { model });
    const turn = await made.start("write it");
    const ask = await made.asked();
    const answer = { kind: "permission", outcome: "reject", ...(stop ? { stop } : {}) } as const;
    await made.gateway.answer(made.session, ask.data.ask, answer, "test");
    const events = await made.over(turn);
    assert.equal(endOf(events).reason, "end_turn");
    assert.equal(asked.length, stop ? 1 : 2);
    const [refused] = calls(events);
    assert.deepEqual([refused?.status, refused?.error?.code], ["failed", "rejected"]);
    const next = await made.turn("and now?");
    assert.equal(endOf(next).reason, "end_turn");
  }
});

test("a prompt's own instructions are added for its turn alone", async (t) => {
  const { model, asked } = playing(say("one"), say("two"));
  const made = await houseRig(t, { model });
  await made.over(await made.start("first", { system: "Answer in one word." }));
  await made.turn("second");
  const systems = asked.map(({ prompt }) => prompt.find((message) => message.role === "system")?.content);
  assert.match(String(systems[0]), /Answer in one word\.$/);
  assert.doesNotMatch(String(systems[1]), /Answer in one word/);
});
