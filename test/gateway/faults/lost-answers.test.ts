import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { isStorageRefusal } from "../../../src/core/storage-refusal.ts";
import { eventually } from "../../support/eventually.ts";
import { type Fault, FaultyLog } from "../../support/faulty-log.ts";
import { ended, rig, text } from "../rig.ts";

const WORDS = 40;

/** The deltas of an agent's message, in their order. */
function wordsIn(events: readonly ParleyEvent[]): string[] {
  return events.flatMap((event) => (event.type === "item.delta" ? [String(event.data.delta)] : []));
}

for (const [name, faults] of [
  ["stored and its answer is lost", ["answer"]],
  ["lost before it is stored", ["request"]],
  ["lost in both ways, several times in a row", ["answer", "request", "request", "answer", "none", "request"]],
] as [string, Fault[]][])
  test(`each event is stored once and in order when an append is ${name}, while the agent speaks on`, async (t) => {
    const faulty = new FaultyLog();
    const r = await rig(t, { wrap: faulty.wrap });
    const { id } = await r.gateway.create({ directory: r.directory });
    const got = r.fake.prompted();
    let count = 0;
    // Every second append meets a fault, in turn.
    faulty.next = () => (count++ % 2 === 0 ? (faults[(count >> 1) % faults.length] ?? "none") : "none");
    const heard: number[] = [];
    r.log.listen(id, (records) => heard.push(...records.map(({ seq }) => seq)));
    const { turn } = await r.gateway.prompt(id, text("go"));
    assert.ok(turn, "the prompt is answered when its outcome is known");
    const session = await got;
    for (let word = 0; word < WORDS; word++) {
      session.say({ type: "text", item: "m", kind: "message", delta: `${word} ` });
      // So that some words come while an append is repeated.
      if (word % 10 === 9) await r.until(id, (event) => event.type === "item.delta" && event.data.delta === `${word} `);
    }
    assert.deepEqual(
      wordsIn(await r.events(id)),
      Array.from({ length: WORDS }, (_, word) => `${word} `),
    );
    session.say({ type: "turn.finished", reason: "end_turn" });
    await r.until(id, ended);
    faulty.next = () => "none";
    // As a client does: it repeats its prompt, with the same id, until it has a receipt.
    await eventually("the next prompt is taken", () =>
      r.gateway.prompt(id, text("again", { id: "msg_again" })).then(
        () => true,
        (error: unknown) => {
          assert.ok(isStorageRefusal(error), String(error));
          return false;
        },
      ),
    );
    const events = await r.events(id);
    assert.deepEqual(
      heard,
      Array.from({ length: heard.length }, (_, at) => at + 2),
      "no number came twice or was left out",
    );
    assert.equal(events.filter(({ type }) => type === "turn.started").length, 2);
    assert.equal(events.filter(ended).length, 1);
    assert.ok(faulty.lost.answer + faulty.lost.request >= 3, "there were faults");
    const tried = new Set(faulty.tries);
    assert.ok(tried.size < faulty.tries.length, "a repeat has the same numbers");
  });

test("a command is refused at once while an earlier append's outcome is unknown, and taken afterwards", async (t) => {
  const faulty = new FaultyLog();
  const r = await rig(t, { wrap: faulty.wrap });
  const { id } = await r.gateway.create({ directory: r.directory });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("go"));
  const session = await got;
  faulty.next = () => "request";
  session.say({ type: "text", item: "m", kind: "message", delta: "said" });
  await eventually("a request was lost", () => faulty.lost.request > 0);
  await assert.rejects(r.gateway.update(id, { title: "refused" }), { code: "outcome_unknown", status: 503 });
  faulty.next = () => "none";
  await r.until(id, (event) => event.type === "item.delta");
  await eventually("commands are taken", () =>
    r.gateway.update(id, { title: "taken" }).then(
      () => true,
      () => false,
    ),
  );
  assert.equal((await r.gateway.get(id)).title, "taken");
});

test("a session whose hold was taken by another stores nothing more, and its agent is ended", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("go"));
  const session = await got;
  const before = await r.events(id);
  await r.log.open(id);
  session.say({ type: "text", item: "m", kind: "message", delta: "too late" });
  await eventually("the agent is killed", () => session.gone);
  assert.deepEqual(await r.events(id), before);
});
