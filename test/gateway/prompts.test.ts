import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { answering } from "./fake-agent.ts";
import { FullDisk } from "./faults/full-disk.ts";
import { ended, rig, text, types } from "./rig.ts";

test("A1: a prompt becomes a turn with its messages, and the turn ends once", async (t) => {
  const { gateway, fake, directory, until, assertLawful } = await rig(t);
  fake.onPrompt = answering;
  const { id } = await gateway.create({ directory });
  const receipt = await gateway.prompt(id, text("Say hello"));
  await until(id, ended);
  const events = await assertLawful(id);
  assert.equal(receipt.status, "started");
  assert.equal(events.find((event) => event.seq === receipt.seq)?.type, "turn.started");
  // Deltas may be folded by now or not yet.
  const kept = events.filter((event) => event.type !== "item.delta");
  assert.deepEqual(types(kept), [
    "session.started",
    "session.updated",
    "turn.started",
    "item.started",
    "item.completed",
    "session.updated",
    "step.started",
    "item.started",
    "item.completed",
    "step.ended",
    "turn.ended",
  ]);
  const said = events.flatMap((event) =>
    event.type === "item.completed" && event.data.item.kind === "message" ? [event.data.item.text] : [],
  );
  assert.deepEqual(said, ["Say hello", "Hello there"]);
});

test("the same prompt sent a hundred times at once is one turn with a hundred equal receipts", async (t) => {
  const { gateway, fake, directory, until, assertLawful } = await rig(t);
  fake.onPrompt = answering;
  const { id } = await gateway.create({ directory });
  const receipts = await Promise.all(
    Array.from({ length: 100 }, () => gateway.prompt(id, text("once", { id: "msg_once" }))),
  );
  await until(id, ended);
  assert.equal(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size, 1);
  assert.equal((await assertLawful(id)).filter((event) => event.type === "turn.started").length, 1);
  await assert.rejects(gateway.prompt(id, text("another", { id: "msg_once" })), { code: "prompt_conflict" });
  assert.deepEqual(await gateway.prompt(id, text("once", { id: "msg_once" })), receipts[0]);
});

test("prompts while busy wait their turn, in order, and each gets its own", async (t) => {
  const { gateway, fake, directory, until, assertLawful } = await rig(t);
  const { id } = await gateway.create({ directory });
  const got = fake.prompted();
  await gateway.prompt(id, text("one", { id: "msg_1" }));
  const session = await got;
  const second = await gateway.prompt(id, text("two", { id: "msg_2" }));
  const third = await gateway.prompt(id, text("three", { id: "msg_3" }));
  assert.deepEqual([second.status, second.position, third.position], ["queued", 1, 2]);
  fake.onPrompt = answering;
  answering(session, session.prompts[0] ?? assert.fail());
  await until(id, (event) => ended(event) && session.prompts.length === 3);
  const events = await assertLawful(id);
  assert.deepEqual(
    session.prompts.map((prompt) => prompt.id),
    ["msg_1", "msg_2", "msg_3"],
  );
  assert.equal(events.filter((event) => event.type === "turn.ended").length, 3);
});

test("a prompt can insist on being first, and a waiting one can be taken back", async (t) => {
  const { gateway, fake, directory } = await rig(t);
  const { id } = await gateway.create({ directory });
  const got = fake.prompted();
  await gateway.prompt(id, text("one"));
  await got;
  await assert.rejects(gateway.prompt(id, text("now", { delivery: "reject" })), { code: "busy" });
  await gateway.prompt(id, text("later", { id: "msg_later" }));
  await gateway.withdraw(id, "msg_later");
  await assert.rejects(gateway.withdraw(id, "msg_later"), { code: "prompt_not_found" });
  assert.deepEqual((await gateway.get(id)).queue, []);
});

test("a steered prompt joins the running turn", async (t) => {
  const { gateway, fake, directory, events } = await rig(t);
  const { id } = await gateway.create({ directory });
  const got = fake.prompted();
  const first = await gateway.prompt(id, text("one"));
  const session = await got;
  const steered = await gateway.prompt(id, text("also this", { id: "msg_s", delivery: "steer" }));
  assert.deepEqual([steered.status, steered.turn], ["steered", first.turn]);
  assert.deepEqual(await gateway.prompt(id, text("also this", { id: "msg_s", delivery: "steer" })), steered);
  assert.deepEqual(
    session.prompts.map((prompt) => prompt.parts),
    [text("one").parts, text("also this").parts],
  );
  assert.equal((await events(id)).filter((event) => event.type === "turn.started").length, 1);
});

test("a model or mode that the agent does not have is refused before anything is stored", async (t) => {
  const { gateway, directory, events } = await rig(t);
  await assert.rejects(gateway.create({ directory, model: "nope" }), /it has: m1, m2/);
  const { id } = await gateway.create({ directory });
  await assert.rejects(gateway.prompt(id, text("x", { mode: "nope" })), { code: "invalid" });
  assert.deepEqual(types(await events(id)), ["session.started"]);
});

test("B8: a model or mode given with a prompt holds from then on", async (t) => {
  const { gateway, fake, directory, until } = await rig(t);
  fake.onPrompt = answering;
  const { id } = await gateway.create({ directory, model: "m1" });
  await gateway.prompt(id, text("one"));
  await until(id, ended);
  const { turn } = await gateway.prompt(id, text("two", { model: "m2", mode: "plan" }));
  await until(id, (event) => ended(event) && event.turn === turn);
  const state = await gateway.get(id);
  assert.deepEqual([state.model, state.mode], ["m2", "plan"]);
  assert.deepEqual(fake.last.choices, [{ model: "m2", mode: "plan" }]);
});

test("a prompt that cannot be stored is not accepted, and the agent never sees it", async (t) => {
  const disk = new FullDisk();
  const { gateway, fake, directory, until, assertLawful } = await rig(t, { wrap: disk.wrap });
  fake.onPrompt = answering;
  const { id } = await gateway.create({ directory });
  disk.full = true;
  await assert.rejects(gateway.prompt(id, text("lost?", { id: "msg_1" })), { code: "disk_full", status: 507 });
  assert.equal(fake.starts.length, 0);
  disk.full = false;
  await gateway.prompt(id, text("lost?", { id: "msg_1" }));
  await until(id, ended);
  assert.equal((await assertLawful(id)).filter((event) => event.type === "turn.started").length, 1);
});

test("a prompt that is taken back while the disk is full never begins", async (t) => {
  const disk = new FullDisk();
  const { gateway, fake, directory, until, assertLawful } = await rig(t, { wrap: disk.wrap });
  const { id } = await gateway.create({ directory });
  const got = fake.prompted();
  await gateway.prompt(id, text("one"));
  const session = await got;
  await gateway.prompt(id, text("two", { id: "msg_2", delivery: "queue" }));
  disk.full = true;
  const later = { code: "disk_full", details: { prompt: "msg_2", withdrawn: "later" } };
  await assert.rejects(gateway.withdraw(id, "msg_2"), later);
  await assert.rejects(gateway.withdraw(id, "msg_2"), later);
  await assert.rejects(gateway.withdraw(id, "msg_3"), { code: "disk_full", details: {} });
  session.say({ type: "turn.finished", reason: "end_turn" });
  disk.full = false;
  await until(id, ended);
  await until(id, ({ type, data }) => type === "prompt.withdrawn" && data.prompt === "msg_2");
  assert.equal((await assertLawful(id)).filter((event) => event.type === "turn.started").length, 1);
});

test("a prompt that is taken back while the disk is full is stopped where its turn begins first", async (t) => {
  const disk = new FullDisk();
  const { gateway, fake, directory, until, assertLawful } = await rig(t, { wrap: disk.wrap });
  const { id } = await gateway.create({ directory });
  const got = fake.prompted();
  await gateway.prompt(id, text("one"));
  const session = await got;
  await gateway.prompt(id, text("two", { id: "msg_2", delivery: "queue" }));
  disk.full = true;
  session.say({ type: "turn.finished", reason: "end_turn" });
  await assert.rejects(gateway.withdraw(id, "msg_2"), { code: "disk_full" });
  disk.full = false;
  await until(id, ({ type, data }) => type === "turn.ended" && data.reason === "cancelled");
  await assertLawful(id);
});

test("what an agent says while the disk is full is held, not lost", async (t) => {
  const disk = new FullDisk();
  const { gateway, fake, directory, until, assertLawful } = await rig(t, { wrap: disk.wrap });
  const { id } = await gateway.create({ directory });
  const got = fake.prompted();
  await gateway.prompt(id, text("go"));
  const session = await got;
  disk.full = true;
  const words = Array.from({ length: 500 }, (_, index) => `word${index} `);
  for (const delta of words) session.say({ type: "text", item: "m", kind: "message", delta });
  session.say({ type: "turn.finished", reason: "end_turn" });
  await assert.rejects(
    async () => {
      // The first refusal makes the session say no at once instead of letting commands wait behind the agent's words.
      for (;;) await gateway.update(id, { title: "x" });
    },
    { code: "disk_full" },
  );
  assert.equal(session.paused, true);
  disk.full = false;
  await until(id, ended);
  const events = await assertLawful(id);
  await eventually("the agent to go on", () => !session.paused);
  const said = events.flatMap((event) =>
    event.type === "item.completed" && event.data.item.kind === "message" ? [event.data.item.text] : [],
  );
  assert.equal(said.at(-1), words.join(""));
});
