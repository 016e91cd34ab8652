import assert from "node:assert/strict";
import { test } from "node:test";
import type { Gateway } from "../../../src/gateway/gateway.ts";
import { answering, FakeAgent } from "../fake-agent.ts";
import { ended, gatewayOn, type Rig, rig, text } from "../rig.ts";

/** Another gateway on the same log, as after a crash: the first one is never told to stop. */
function reborn(r: Rig): { gateway: Gateway; fake: FakeAgent } {
  const fake = new FakeAgent();
  const gateway = gatewayOn(r.log, r.directory, { agents: new Map([["fake", fake]]) });
  return { gateway, fake };
}

test("law 12: a turn that a crash left open is closed, with everything in it, before anybody is let in", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("go"));
  const session = await got;
  session.say({ type: "text", item: "m", kind: "message", delta: "Half a sen" });
  session.say({ type: "tool.running", call: "c", name: "bash" });
  session.say({ type: "tool.output", call: "c", delta: "half an output" });
  session.say({ type: "permission", ask: "p", action: "bash" });
  await r.until(id, (event) => event.type === "permission.requested");
  const { gateway } = reborn(r);
  assert.equal(await gateway.tenure.recover(), 1);
  assert.equal(await gateway.tenure.recover(), 0);
  const events = await r.assertLawful(id);
  const state = await gateway.get(id);
  assert.deepEqual([state.turn, state.asks, state.lastEnd?.reason], [null, [], "interrupted"]);
  const texts = events.flatMap((event) =>
    event.type === "item.completed" && "text" in event.data.item ? [event.data.item.text] : [],
  );
  assert.deepEqual(texts, ["go", "half an output", "Half a sen"]);
});

test("prompts that waited through a crash run after it, each once", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("one", { id: "msg_1" }));
  await got;
  await r.gateway.prompt(id, text("two", { id: "msg_2" }));
  await r.gateway.prompt(id, text("three", { id: "msg_3" }));
  const after = reborn(r);
  after.fake.onPrompt = answering;
  await after.gateway.tenure.recover();
  await after.gateway.tenure.resumeQueues();
  await r.until(id, (event) => ended(event) && after.fake.starts[0]?.prompts.length === 2);
  const events = await r.assertLawful(id);
  const ends = events.flatMap((event) => (event.type === "turn.ended" ? [event.data.reason] : []));
  assert.deepEqual(ends, ["interrupted", "end_turn", "end_turn"]);
  assert.deepEqual(
    after.fake.starts.flatMap((start) => start.prompts.map((prompt) => prompt.id)),
    ["msg_2", "msg_3"],
  );
  assert.equal((await after.gateway.prompt(id, text("two", { id: "msg_2" }))).status, "queued");
  await after.gateway.shutdown();
});
