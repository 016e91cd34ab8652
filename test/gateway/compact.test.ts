import assert from "node:assert/strict";
import { test } from "node:test";
import { answering } from "./fake-agent.ts";
import { ended, rig, text } from "./rig.ts";

test("an agent with a command of its own for it is given that command", async (t) => {
  const r = await rig(t);
  r.fake.capabilities = { compact: "/compact" };
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  const { turn } = await r.gateway.work.compact(id, { id: "msg_compact", auto: true });
  await r.until(id, (event) => ended(event) && event.turn === turn);
  assert.deepEqual(r.fake.last.prompts[0]?.parts, [{ type: "text", text: "/compact" }]);
  const events = await r.assertLawful(id);
  const started = events.find((event) => event.type === "turn.started");
  assert.deepEqual(started?.data.prompt?.task, { type: "compact", auto: true });
  const again = await r.gateway.work.compact(id, { id: "msg_compact", auto: true });
  assert.equal(again.turn, turn);
});

test("what the user ran is not lost by a compaction: it waits for a prompt", async (t) => {
  const r = await rig(t);
  r.fake.capabilities = { compact: "/compact" };
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  const turns: (string | undefined)[] = [];
  const over = async (given: { turn?: string }): Promise<void> => {
    turns.push(given.turn);
    await r.until(id, (event) => ended(event) && event.turn === given.turn);
  };
  await over(await r.gateway.work.shell(id, { command: "echo kept" }));
  await over(await r.gateway.work.compact(id));
  await over(await r.gateway.prompt(id, text("And?")));
  assert.equal(new Set(turns).size, 3);
  assert.match(JSON.stringify(r.fake.last.prompts[1]?.parts), /echo kept/);
});

test("an agent that cannot is not asked", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  await assert.rejects(r.gateway.work.compact(id), { code: "unsupported" });
  r.fake.capabilities = { compact: true };
  const { turn } = await r.gateway.work.compact(id);
  const end = await r.until(id, (event) => ended(event) && event.turn === turn);
  assert.ok(end.type === "turn.ended" && end.data.reason === "error");
  await r.assertLawful(id);
});
