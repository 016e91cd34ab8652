import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import type { Log } from "../../src/log/contract.ts";
import { eventually } from "../support/eventually.ts";
import { wrapHolds } from "../support/wrap-holds.ts";
import { answering, type FakeSession } from "./fake-agent.ts";
import { FullDisk } from "./full-disk.ts";
import { ended, type Rig, rig, text } from "./rig.ts";

const never = new Promise<void>(() => {});

async function startTurn(r: Rig): Promise<{ id: string; turn: string; session: FakeSession }> {
  const { id } = await r.gateway.create({ directory: r.directory });
  const got = r.fake.prompted();
  const { turn = "" } = await r.gateway.prompt(id, text("go"));
  return { id, turn, session: await got };
}

/** The session of a sub-agent that has just begun to work. */
async function startChild(r: Rig, root: string, session: FakeSession): Promise<string> {
  const heard = new Promise<string>((resolve) => {
    const stop = r.log.listenAll((_, events) => {
      const found = events.find((event) => event.root === root);
      if (!found) return;
      stop();
      resolve(found.session);
    });
  });
  session.say({ type: "turn.begun" }, { id: "sub" });
  return heard;
}

test("a prompt that races a deletion is refused, or is part of what is deleted; no agent is left", async (t) => {
  const r = await rig(t);
  const { id } = await startTurn(r);
  const closing = Promise.withResolvers<void>();
  r.fake.closeGate = closing.promise;
  const removed = r.gateway.remove(id);
  const prompts = Array.from({ length: 5 }, () => r.gateway.prompt(id, text("too late")));
  const refused = await Promise.allSettled(prompts);
  closing.resolve();
  await removed;
  for (const prompt of refused) assert.equal(prompt.status === "rejected" && prompt.reason.code, "session_not_found");
  assert.deepEqual([r.fake.starts.length, r.fake.last.gone], [1, true]);
  await assert.rejects(r.gateway.prompt(id, text("gone")), { code: "session_not_found" });
});

test("a deletion that is repeated while the first one is under way ends as that one does", async (t) => {
  let looks = 0;
  const first = Promise.withResolvers<void>();
  const slow = (log: Log): Log => ({
    ...log,
    list: async (query) => {
      // A second look for sub-agents comes back only when one of the deletions is over.
      if (++looks === 2) await first.promise;
      return log.list(query);
    },
  });
  const r = await rig(t, { wrap: slow });
  const { id } = await startTurn(r);
  const removals = [r.gateway.remove(id), r.gateway.remove(id)];
  for (const removal of removals) removal.then(first.resolve, first.resolve);
  assert.deepEqual(await Promise.all(removals), [undefined, undefined]);
});

test("a sub-agent's session goes with the one it belongs to, in memory or not, and not without it", async (t) => {
  const r = await rig(t);
  const { id, session } = await startTurn(r);
  const child = await startChild(r, id, session);
  await assert.rejects(r.gateway.remove(child), { code: "busy" });
  session.exit(1);
  await r.until(child, ended);
  await r.until(id, (event) => event.type === "session.ended");
  await r.gateway.remove(id);
  assert.deepEqual(await r.gateway.list({ limit: 10, parent: id }), []);
  await assert.rejects(r.gateway.get(child), { code: "session_not_found" });
});

test("an agent that does not even read its input is ended all the same", async (t) => {
  const r = await rig(t);
  r.fake.hears = never;
  const { id, turn, session } = await startTurn(r);
  assert.equal(await r.gateway.cancel(id, { queue: "clear" }), turn);
  assert.equal(session.gone, true);
  assert.equal((await r.gateway.get(id)).lastEnd?.reason, "cancelled");
});

test("a shutdown lets the agent go even while the disk is full, and a deletion is refused", async (t) => {
  const disk = new FullDisk();
  const r = await rig(t, { wrap: disk.wrap });
  const { id, session } = await startTurn(r);
  disk.full = true;
  session.say({ type: "text", item: "m", kind: "message", delta: "held" });
  await assert.rejects(async () => {
    for (;;) await r.gateway.update(id, { title: "x" });
  });
  await assert.rejects(r.gateway.remove(id), { code: "disk_full" });
  const down = r.gateway.shutdown();
  await r.fake.left();
  disk.full = false;
  await down;
  assert.equal((await r.gateway.get(id)).lastEnd?.reason, "interrupted");
});

test("a prompt that was on its way when the shutdown began starts no agent that outlives it", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  const prompt = r.gateway.prompt(id, text("late", { model: "m1" }));
  const down = r.gateway.shutdown();
  const [result] = await Promise.allSettled([prompt]);
  await down;
  assert.ok(r.fake.starts.every((start) => start.gone));
  assert.equal((await r.gateway.get(id)).turn, null);
  if (result.status === "rejected") assert.equal(result.reason.code, "shutting_down");
});

test("the next prompt does not go to an agent that is being ended", async (t) => {
  const r = await rig(t);
  const { id, session } = await startTurn(r);
  await r.gateway.prompt(id, text("next", { id: "msg_next" }));
  const killing = Promise.withResolvers<void>();
  r.fake.killGate = killing.promise;
  r.fake.onPrompt = answering;
  const cancelled = r.gateway.cancel(id, { queue: "keep" });
  // On TERM it ends its turn first and exits a moment later.
  await eventually("the agent is killed", () => session.kills === 1);
  session.say({ type: "turn.finished", reason: "cancelled" });
  await cancelled;
  killing.resolve();
  await r.until(id, (event) => ended(event) && event.type === "turn.ended" && event.data.reason === "end_turn");
  assert.equal(r.fake.starts.length, 2);
  await r.assertLawful(id);
});

test("a cancel that names a turn stops that turn only", async (t) => {
  const r = await rig(t);
  const { id, turn } = await startTurn(r);
  assert.equal(await r.gateway.cancel(id, { queue: "clear", turn: "trn_other" }), undefined);
  assert.equal((await r.gateway.get(id)).turn?.id, turn);
  r.fake.onCancel = (session) => session.say({ type: "turn.finished", reason: "cancelled" });
  assert.equal(await r.gateway.cancel(id, { queue: "clear", turn }), turn);
});

test("a sub-agent stops with the turn that it works for, and can be given up when it does not", async (t) => {
  const r = await rig(t);
  r.fake.onCancel = (session) => session.say({ type: "turn.finished", reason: "cancelled" });
  const { id, session } = await startTurn(r);
  const child = await startChild(r, id, session);
  await r.gateway.cancel(id, { queue: "clear" });
  await r.until(child, ended);
  assert.equal((await r.gateway.get(child)).lastEnd?.reason, "cancelled");
  r.fake.onCancel = undefined;
  session.say({ type: "turn.begun" }, { id: "sub" });
  await r.until(child, (event) => event.type === "turn.started" && event.seq > 3);
  await r.gateway.cancel(child, { queue: "clear" });
  await r.assertLawful(child);
});

test("the agent is let go when the last of its sub-agents is done", async (t) => {
  const r = await rig(t, { idleCloseMs: 20 });
  const { id, session } = await startTurn(r);
  await startChild(r, id, session);
  session.say({ type: "turn.finished", reason: "end_turn" });
  await r.until(id, ended);
  session.say({ type: "turn.finished", reason: "end_turn" }, { id: "sub" });
  const last = await r.until(id, (event) => event.type === "session.ended");
  assert.equal(last.type === "session.ended" && last.data.reason, "closed");
});

test("words of a sub-agent that cannot be stored hold the agent back", async (t) => {
  let slow = false;
  const gate = Promise.withResolvers<void>();
  const delay = (log: Log): Log =>
    wrapHolds(log, ({ append }) => ({
      append: async (...args) => {
        if (slow) await gate.promise;
        return append(...args);
      },
    }));
  const r = await rig(t, { wrap: delay });
  const { id, session } = await startTurn(r);
  const child = await startChild(r, id, session);
  slow = true;
  for (let i = 0; i < 25_000; i++) session.say({ type: "text", item: "m", kind: "message", delta: "x" }, { id: "sub" });
  await eventually("the agent is paused", () => session.paused);
  gate.resolve();
  await r.until(child, (event: ParleyEvent) => event.seq > 25_000);
  await eventually("the agent goes on", () => !session.paused);
});

test("a session that was let go and took a new prompt still looks after its asks", async (t) => {
  const r = await rig(t, { idleCloseMs: 10, unattended: "deny" });
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  await r.gateway.prompt(id, text("one"));
  await r.until(id, (event) => event.type === "session.ended");
  r.fake.onPrompt = undefined;
  const leave = r.gateway.attachments.attach(id);
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("two"));
  (await got).say({ type: "permission", ask: "p", action: "edit" });
  await r.until(id, (event) => event.type === "permission.requested");
  leave();
  const event = await r.until(id, (one) => one.type === "permission.resolved");
  assert.equal(event.type === "permission.resolved" && event.data.by, "policy");
});
