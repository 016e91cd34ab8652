import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import type { Log } from "../../src/log/contract.ts";
import { eventually } from "../support/eventually.ts";
import { wrapHolds } from "../support/wrap-holds.ts";
import type { FakeSession } from "./fake-agent.ts";
import { ended, type Rig, rig, text } from "./rig.ts";

/** The log has stored nothing for some milliseconds: a piece is stored within the call then. */
const QUIET_MS = 5;

async function quiet(): Promise<void> {
  const since = performance.now();
  while (performance.now() - since < QUIET_MS) await nextTurn();
}

interface Speaking extends Rig {
  id: string;
  agent: FakeSession;
  /** The texts of deltas in the order in which listeners heard of them. */
  told: string[];
  piece(delta: string): void;
  /** Ends the turn, and gives all events. */
  end(): Promise<ParleyEvent[]>;
}

/** A turn in which the agent has begun to speak. */
async function speaking(t: TestContext, wrap?: (log: Log) => Log): Promise<Speaking> {
  const r = await rig(t, wrap ? { wrap } : {});
  const begun = Promise.withResolvers<FakeSession>();
  r.fake.onPrompt = (session) => begun.resolve(session);
  const { id } = await r.gateway.create({ directory: r.directory });
  await r.gateway.prompt(id, text("go"));
  const agent = await begun.promise;
  const piece = (delta: string): void =>
    agent.say({ type: "text", item: "m", kind: "message", role: "assistant", delta });
  piece("begun ");
  await r.until(id, ({ type }) => type === "item.delta");
  const told: string[] = [];
  t.after(r.log.listen(id, (_, events) => told.push(...events.flatMap(deltaOf))));
  await quiet();
  const end = async (): Promise<ParleyEvent[]> => {
    agent.say({ type: "text.done", item: "m" });
    agent.say({ type: "turn.finished", reason: "end_turn" });
    await r.until(id, ended);
    return r.assertLawful(id);
  };
  return { ...r, id, agent, told, piece, end };
}

function deltaOf(event: ParleyEvent): string[] {
  return event.type === "item.delta" ? [event.data.delta ?? ""] : [];
}

/** The text of the answer. */
function whole(events: readonly ParleyEvent[]): string | undefined {
  for (const event of events) {
    if (event.type !== "item.completed" || event.data.item.kind !== "message") continue;
    if (event.data.item.role === "assistant") return event.data.item.text;
  }
  return undefined;
}

test("a piece of an answer is stored and told while the agent says it", async (t) => {
  const { piece, told, end } = await speaking(t);
  piece("one ");
  assert.deepEqual(told, ["one "]);
  await quiet();
  piece("two ");
  assert.deepEqual(told, ["one ", "two "]);
  assert.equal(whole(await end()), "begun one two ");
});

test("pieces that come together, and pieces behind a command, are told in their order", async (t) => {
  const { piece, told, end, gateway, id } = await speaking(t);
  piece("one ");
  piece("two ");
  piece("three ");
  // On a busy machine time passes between them, and more are told at once.
  assert.equal(told[0], "one ");
  const updated = gateway.update(id, { title: "Meanwhile" });
  piece("four ");
  await updated;
  await quiet();
  piece("five ");
  const events = await end();
  assert.deepEqual(told, ["one ", "two ", "three ", "four ", "five "]);
  assert.equal(whole(events), "begun one two three four five ");
});

test("a piece that the log cannot store at once is stored by the loop, and only once", async (t) => {
  const tried: number[] = [];
  const appendPiece = (after: number): boolean => tried.push(after) < 0;
  const { piece, told, end } = await speaking(t, (log) => wrapHolds(log, () => ({ appendPiece })));
  piece("one ");
  assert.deepEqual(told, []);
  const events = await end();
  assert.deepEqual(told, ["one "]);
  assert.ok(tried.length > 0);
  assert.equal(whole(events), "begun one ");
});

test("a listener that makes the agent say more while it hears of a piece has that told after it", async (t) => {
  const { piece, told, end, log, id } = await speaking(t);
  let more = true;
  const stop = log.listen(id, () => {
    if (more) piece("more ");
    more = false;
  });
  piece("one ");
  await quiet();
  stop();
  const events = await end();
  assert.deepEqual(told, ["one ", "more "]);
  assert.equal(whole(events), "begun one more ");
});

test("the last words of a sub-agent are told before the words that the agent says after them", async (t) => {
  const { agent, piece, log, id, end } = await speaking(t);
  const child = { id: "kid", call: "call" };
  agent.say({ type: "tool.seen", call: "call", name: "Task" });
  agent.say({ type: "turn.begun" }, child);
  const told: string[] = [];
  const spoke = Promise.withResolvers<void>();
  t.after(
    log.listenAll((records) => {
      for (const { session, type } of records) {
        told.push(`${session === id ? "own" : "kid's"} ${type}`);
        if (session !== id && type === "item.delta") spoke.resolve();
      }
    }),
  );
  agent.say({ type: "text", item: "k", kind: "message", role: "assistant", delta: "the kid's" }, child);
  await spoke.promise;
  await quiet();
  told.length = 0;
  agent.say({ type: "text.done", item: "k" }, child);
  agent.say({ type: "turn.finished", reason: "end_turn" }, child);
  piece("after it ");
  await eventually("all is told", () => told.includes("own item.delta") && told.includes("kid's turn.ended"));
  assert.deepEqual(told, ["kid's item.completed", "kid's step.ended", "kid's turn.ended", "own item.delta"]);
  agent.say({ type: "tool.done", call: "call", ok: true });
  await end();
});
