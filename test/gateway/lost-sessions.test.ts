import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ParleyError } from "../../src/core/errors.ts";
import type { Log } from "../../src/log/contract.ts";
import { eventually } from "../support/eventually.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { wrapHolds } from "../support/wrap-holds.ts";
import { answering } from "./fake-agent.ts";
import { FullDisk } from "./full-disk.ts";
import { ended, type Rig, rig, text } from "./rig.ts";

/** A log whose appends fail with an error of the test's, as often as it is set. */
class FailingLog {
  errors: Error[] = [];

  readonly wrap = (log: Log): Log =>
    wrapHolds(log, ({ append }) => ({
      append: async (...args) => {
        const error = this.errors.shift();
        if (error) throw error;
        return append(...args);
      },
    }));
}

async function startTurn(r: Rig): Promise<{ id: string; turn: string; agent: Rig["fake"]["last"] }> {
  const { id } = await r.gateway.create({ directory: r.directory });
  const got = r.fake.prompted();
  const { turn } = await r.gateway.prompt(id, text("go"));
  return { id, turn: turn ?? "", agent: await got };
}

for (const [name, error] of [
  ["by a defect", new Error("a defect")],
  ["because another process holds it", new ParleyError("fenced", "another process holds the session")],
] as const)
  test(`a session whose writing ends ${name} answers all that wait, ends its agent and is loaded anew`, async (t) => {
    const failing = new FailingLog();
    const r = await rig(t, { wrap: failing.wrap });
    const { id, turn, agent } = await startTurn(r);
    const waiting = assert.rejects(r.gateway.ended(id, turn), error);
    const cancelled = r.gateway.cancel(id, { queue: "keep" }).catch((thrown: unknown) => thrown);
    await eventually("the agent is asked to stop", () => agent.cancels > 0);
    failing.errors = [error];
    agent.say({ type: "text", item: "m", kind: "message", delta: "lost" });
    await waiting;
    assert.equal(await cancelled, error, "a cancel that waits for the turn's end is answered");
    await eventually("the agent is ended", () => agent.gone);
    r.fake.onPrompt = answering;
    const next = await r.gateway.prompt(id, text("again"));
    assert.equal(next.status, "started");
    await r.until(id, (event) => ended(event) && event.turn === next.turn);
    const events = await r.assertLawful(id);
    const ends = events.flatMap((event) => (event.type === "turn.ended" ? [event.data.reason] : []));
    assert.deepEqual(ends, ["interrupted", "end_turn"]);
    assert.equal(r.fake.starts.length, 2);
  });

test("prompts that wait behind a turn whose session broke down run after it", async (t) => {
  const failing = new FailingLog();
  const r = await rig(t, { wrap: failing.wrap });
  const { id, agent } = await startTurn(r);
  const { prompt } = await r.gateway.prompt(id, text("later"));
  r.fake.onPrompt = answering;
  failing.errors = [new Error("a defect")];
  agent.say({ type: "text", item: "m", kind: "message", delta: "lost" });
  await r.until(id, (event) => ended(event) && event.data.reason === "end_turn");
  assert.deepEqual(
    r.fake.last.prompts.map((one) => one.id),
    [prompt],
  );
  await r.assertLawful(id);
});

test("a fenced command is the end of the session's object, too", async (t) => {
  const failing = new FailingLog();
  const r = await rig(t, { wrap: failing.wrap });
  const { id, turn, agent } = await startTurn(r);
  const waiting = assert.rejects(r.gateway.ended(id, turn), { code: "fenced" });
  failing.errors = [new ParleyError("fenced", "another process holds the session")];
  await assert.rejects(r.gateway.update(id, { title: "Mine" }), { code: "fenced", status: 503 });
  await waiting;
  await eventually("the agent is ended", () => agent.gone);
  await r.gateway.update(id, { title: "Loaded anew" });
  assert.equal((await r.gateway.get(id)).lastEnd?.reason, "interrupted");
  await r.assertLawful(id);
});

test("a command whose outcome stays unknown is answered with that, and happens once when it is known", async (t) => {
  const faulty = new FaultyLog();
  const r = await rig(t, { wrap: faulty.wrap });
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  faulty.next = () => "answer";
  const request = text("go", { id: "msg_1" });
  await assert.rejects(r.gateway.prompt(id, request), { code: "outcome_unknown", status: 503 });
  faulty.next = () => "none";
  await r.until(id, ended);
  assert.equal((await r.gateway.prompt(id, request)).status, "started");
  const events = await r.assertLawful(id);
  assert.equal(events.filter(({ type }) => type === "turn.started").length, 1);
});

test("a command that is refused after an unknown outcome is repeated until it is stored, and the next one is taken", async (t) => {
  const failing = new FailingLog();
  const r = await rig(t, { wrap: failing.wrap });
  const { id } = await r.gateway.create({ directory: r.directory });
  const unknown = new ParleyError("outcome_unknown", "the answer was lost");
  failing.errors = [unknown, unknown, new ParleyError("disk_full", "no space left")];
  await assert.rejects(r.gateway.update(id, { title: "One" }), { code: "outcome_unknown" });
  await r.until(id, (event) => event.type === "session.updated");
  await eventually("commands are taken", () =>
    r.gateway.update(id, { title: "Two" }).then(
      () => true,
      () => false,
    ),
  );
  const titles = (await r.events(id)).flatMap((event) => (event.type === "session.updated" ? [event.data.title] : []));
  assert.deepEqual(titles, ["One", "Two"]);
});

test("a prompt whose answer is lost and whose repeat is refused is told as unknown, and reaches the agent once", async (t) => {
  const disk = new FullDisk();
  const faulty = new FaultyLog();
  const r = await rig(t, { wrap: (log) => disk.wrap(faulty.wrap(log)) });
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  const first = await r.gateway.prompt(id, text("The agent runs from here on"));
  await r.until(id, ended);
  faulty.next = () => {
    disk.full = true;
    return "answer";
  };
  const request = text("go", { id: "msg_1" });
  await assert.rejects(r.gateway.prompt(id, request), { code: "outcome_unknown", status: 503 });
  faulty.next = () => "none";
  disk.full = false;
  await r.until(id, (event) => ended(event) && event.turn !== first.turn);
  assert.equal((await r.gateway.prompt(id, request)).status, "started");
  assert.equal((await r.gateway.update(id, { title: "Taken" })).title, "Taken");
  const events = await r.assertLawful(id);
  assert.equal(events.filter(({ type }) => type === "turn.started").length, 2);
  assert.deepEqual([r.fake.starts.length, r.fake.last.prompts.length], [1, 2]);
});

test("a deletion whose outcome stays unknown goes on by itself when it is known", async (t) => {
  const faulty = new FaultyLog();
  const r = await rig(t, { wrap: faulty.wrap });
  const { id, agent } = await startTurn(r);
  await r.gateway.prompt(id, text("waits, so that the deletion has something to store at once"));
  faulty.next = () => "answer";
  await assert.rejects(r.gateway.remove(id), { code: "outcome_unknown", status: 503 });
  faulty.next = () => "none";
  await eventually("the session is deleted", async () => (await r.log.head(id)) === undefined);
  assert.equal(agent.gone, true);
});

test("a fork whose events cannot be folded is made all the same", async (t) => {
  let folds = true;
  const refusing = (log: Log): Log =>
    wrapHolds(log, ({ fold }) => ({
      fold: async (upTo) => {
        if (!folds) throw new ParleyError("disk_full", "no space left");
        await fold(upTo);
      },
    }));
  const r = await rig(t, { wrap: refusing });
  r.fake.capabilities = { fork: true };
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  await r.gateway.prompt(id, text("go"));
  await r.until(id, ended);
  folds = false;
  const fork = await r.gateway.work.fork(id);
  const turns = (await r.assertLawful(fork.id)).filter(({ type }) => type === "turn.started");
  assert.equal(turns.length, 1);
});

test("an agent that floods a session during a shell turn is held until the turn is over", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  const warm = await r.gateway.prompt(id, text("warm up"));
  await r.until(id, (event) => ended(event) && event.turn === warm.turn);
  const gate = join(r.directory, "gate");
  const { turn } = await r.gateway.work.shell(id, { command: `while ! test -e ${gate}; do sleep 0.01; done` });
  const agent = r.fake.last;
  for (let chunk = 0; chunk < 5; chunk++) {
    assert.equal(agent.paused, false, `after ${chunk} chunks`);
    for (let at = 0; at < 5_000; at++) agent.say({ type: "text", item: "bg", kind: "message", delta: "x" });
    // Answered after the chunk was taken in.
    await r.gateway.update(id, { title: `Chunk ${chunk}` });
  }
  assert.equal(agent.paused, true);
  agent.say({ type: "turn.finished", turn: "own", reason: "end_turn" });
  await writeFile(gate, "");
  const own = await r.until(id, (event) => event.type === "turn.started" && event.data.by === "agent");
  await r.until(id, (event) => ended(event) && event.turn === own.turn);
  await eventually("the agent goes on", () => !agent.paused);
  const events = await r.assertLawful(id);
  assert.equal(events.filter((event) => event.turn === turn && event.type === "item.delta").length, 0);
  const said = events.flatMap((event) => (event.type === "item.completed" && event.turn === own.turn ? [event] : []));
  assert.deepEqual(
    said.map(({ data: { item } }) => (item.kind === "message" ? item.text?.length : 0)),
    [25_000],
  );
});
