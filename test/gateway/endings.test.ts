import assert from "node:assert/strict";
import { test } from "node:test";
import { SpawnFailed } from "../../src/host/contract.ts";
import { assertWithin } from "../support/time.ts";
import { answering } from "./fake-agent.ts";
import { ended, type Rig, rig, text } from "./rig.ts";

async function startTurn(
  { gateway, fake, directory }: Rig,
  prompt = "go",
): Promise<{ id: string; turn: string; session: Awaited<ReturnType<typeof fake.prompted>> }> {
  const { id } = await gateway.create({ directory });
  const got = fake.prompted();
  const { turn = "" } = await gateway.prompt(id, text(prompt));
  return { id, turn, session: await got };
}

async function lastEnd(r: Rig, id: string): Promise<string> {
  const events = await r.assertLawful(id);
  const end = events.findLast((event) => event.type === "turn.ended");
  return end?.type === "turn.ended" ? end.data.reason : "none";
}

test("A6: an agent that dies ends its turn once, as an error that says how", async (t) => {
  const r = await rig(t);
  const { id, session } = await startTurn(r);
  session.say({ type: "tool.running", call: "c", name: "bash" });
  session.say({ type: "exited", code: 7, signal: null, stderr: ["boom"] });
  await r.until(id, (event) => event.type === "session.ended");
  assert.equal(await lastEnd(r, id), "error");
  const errors = (await r.events(id)).filter((event) => event.type === "error");
  assert.match(JSON.stringify(errors), /exited with code 7.*boom/);
});

test("the next prompt after a death starts the agent anew and resumes its session", async (t) => {
  const r = await rig(t);
  const { id, session } = await startTurn(r);
  session.say({ type: "session", nativeId: "native-9" });
  session.exit(1);
  await r.until(id, (event) => event.type === "session.ended");
  r.fake.onPrompt = answering;
  const { turn } = await r.gateway.prompt(id, text("again"));
  await r.until(id, (event) => ended(event) && event.turn === turn);
  assert.equal(await lastEnd(r, id), "end_turn");
  assert.equal(r.fake.starts.length, 2);
  assert.equal(r.fake.last.options.resume, "native-9");
});

test("an agent that cannot be started fails the turn, with its command and its last words", async (t) => {
  const r = await rig(t);
  r.fake.failure = new SpawnFailed(
    "it ended at once",
    { argv: ["agent", "--flag"], directory: "/project" },
    { code: 3, signal: null, stderr: ["no license"] },
  );
  const { id } = await r.gateway.create({ directory: r.directory });
  await r.gateway.prompt(id, text("go"));
  await r.until(id, ended);
  const events = await r.assertLawful(id);
  const error = events.find((event) => event.type === "error");
  assert.equal(error?.type === "error" && error.data.code, "spawn_failed");
  assert.match(JSON.stringify(error), /could not run agent: .*exit code 3.*no license.*agent --flag/s);
  r.fake.failure = undefined;
  r.fake.onPrompt = answering;
  const { turn } = await r.gateway.prompt(id, text("again"));
  await r.until(id, (event) => ended(event) && event.turn === turn);
  assert.equal(await lastEnd(r, id), "end_turn");
});

test("cancel asks the agent, answers when it is quiet, and the turn ends cancelled whatever it says", async (t) => {
  const r = await rig(t);
  r.fake.onCancel = (session) => session.say({ type: "turn.finished", reason: "end_turn" });
  const { id, turn, session } = await startTurn(r);
  await r.gateway.prompt(id, text("waiting", { id: "msg_w" }));
  assert.equal(await r.gateway.cancel(id, { queue: "clear" }), turn);
  assert.equal(session.kills, 0);
  assert.equal(await lastEnd(r, id), "cancelled");
  assert.deepEqual((await r.gateway.get(id)).queue, []);
  assert.equal(await r.gateway.cancel(id, { queue: "clear" }), undefined);
});

test("an agent that does not listen is ended after 3 s, and the turn ends cancelled", async (t) => {
  const r = await rig(t);
  const { id, session } = await startTurn(r);
  const began = performance.now();
  await r.gateway.cancel(id, { queue: "clear" });
  const took = performance.now() - began;
  assert.equal(session.kills, 1);
  assert.ok(took > 2_900, `took ${took} ms`);
  assertWithin(took, 6_000, "the agent is ended");
  assert.equal(await lastEnd(r, id), "cancelled");
});

test("cancel while the agent is starting ends it and the turn", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  const gate = Promise.withResolvers<void>();
  r.fake.gate = gate.promise;
  await r.gateway.prompt(id, text("go"));
  const cancelled = r.gateway.cancel(id, { queue: "clear" });
  gate.reject(new Error("killed while starting"));
  await cancelled;
  assert.equal(await lastEnd(r, id), "cancelled");
  assert.equal(r.fake.last.prompts.length, 0);
});

test("a cancel raced against the natural end gives one end, 200 times", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  r.fake.onCancel = (session) => session.say({ type: "turn.finished", reason: "cancelled" });
  const reasons = new Map<string, number>();
  for (let i = 0; i < 200; i++) {
    const got = r.fake.prompted();
    const { turn = "" } = await r.gateway.prompt(id, text(`go ${i}`));
    const session = await got;
    const delay = i % 4;
    const finish = async (): Promise<void> => {
      for (let tick = 0; tick < delay; tick++) await new Promise(setImmediate);
      session.say({ type: "turn.finished", turn: `n${i}`, reason: "end_turn" });
    };
    await Promise.all([finish(), r.gateway.cancel(id, { queue: "keep" })]);
    const end = await r.until(id, (event) => ended(event) && event.turn === turn);
    if (end.type === "turn.ended") reasons.set(end.data.reason, (reasons.get(end.data.reason) ?? 0) + 1);
  }
  const events = await r.assertLawful(id);
  assert.equal(events.filter(ended).length, 200);
  assert.deepEqual(
    [...reasons.keys()].filter((reason) => reason !== "cancelled" && reason !== "end_turn"),
    [],
  );
});

test("an idle agent's exit does not end the turn of a prompt that it never got", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const { id, session } = await startTurn(r);
  await r.until(id, ended);
  const receipt = r.gateway.prompt(id, text("two"));
  session.exit(0);
  const { turn } = await receipt;
  await r.until(id, (event) => ended(event) && event.turn === turn);
  assert.equal(await lastEnd(r, id), "end_turn");
});

test("an agent without work is let go, and a prompt that comes meanwhile gets a new one", async (t) => {
  const r = await rig(t, { idleCloseMs: 10 });
  r.fake.onPrompt = answering;
  const { id } = await startTurn(r);
  await r.until(id, (event) => event.type === "session.ended");
  const closing = Promise.withResolvers<void>();
  r.fake.closeGate = closing.promise;
  const second = await r.gateway.prompt(id, text("two"));
  await r.until(id, (event) => ended(event) && event.turn === second.turn);
  assert.equal(r.fake.starts.length, 2);
  closing.resolve();
  const third = await r.gateway.prompt(id, text("three"));
  await r.until(id, (event) => ended(event) && event.turn === third.turn);
  assert.equal(await lastEnd(r, id), "end_turn");
});

test("shutdown interrupts open turns and takes no more prompts", async (t) => {
  const r = await rig(t);
  const { id } = await startTurn(r);
  await r.gateway.shutdown();
  assert.equal(await lastEnd(r, id), "interrupted");
  const last = (await r.events(id)).at(-1);
  assert.deepEqual(last?.type === "session.ended" && last.data.reason, "shutdown");
  await assert.rejects(r.gateway.prompt(id, text("more")), { code: "shutting_down", status: 503 });
});

test("a deleted session stops its agent and leaves only the word that it was deleted", async (t) => {
  const r = await rig(t);
  const { id, session } = await startTurn(r);
  await r.gateway.remove(id);
  assert.equal(session.gone, true);
  await assert.rejects(r.gateway.get(id), { code: "session_not_found" });
  const [left] = (await r.log.readAll({ after: 0, limit: 10 })).map((record) => JSON.parse(record.json));
  assert.deepEqual([left.type, left.data.reason], ["session.ended", "deleted"]);
});

test("a forgotten session is told how it went, in a fresh one, and the user is told too", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const { id, session } = await startTurn(r, "remember 42");
  await r.until(id, ended);
  session.exit(0);
  await r.until(id, (event) => event.type === "session.ended");
  r.fake.forgets = true;
  const { turn } = await r.gateway.prompt(id, text("what was it?"));
  await r.until(id, (event) => ended(event) && event.turn === turn);
  const events = await r.assertLawful(id);
  assert.ok(events.some((event) => event.type === "session.updated" && event.data.resume === "lost"));
  assert.ok(
    events.some(
      (event) =>
        event.type === "item.completed" && event.data.item.kind === "status" && event.data.item.code === "resume_lost",
    ),
  );
  const given = JSON.stringify(r.fake.last.prompts[0]?.parts);
  assert.match(given, /remember 42/);
  assert.match(given, /what was it\?"\}\]$/);
});
