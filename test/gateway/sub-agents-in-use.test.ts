import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Log } from "../../src/log/contract.ts";
import { createMemoryLog } from "../../src/log/memory/log.ts";
import { eventually } from "../support/eventually.ts";
import { wrapHolds } from "../support/wrap-holds.ts";
import type { FakeSession } from "./fake-agent.ts";
import { ended, type Rig, rig, text } from "./rig.ts";

async function startBoth(r: Rig): Promise<{ id: string; turn: string; child: string; session: FakeSession }> {
  const { id } = await r.gateway.create({ directory: r.directory });
  const got = r.fake.prompted();
  const { turn = "" } = await r.gateway.prompt(id, text("go"));
  const session = await got;
  const heard = Promise.withResolvers<string>();
  r.log.listenAll((_, events) => {
    const found = events.find((event) => event.root === id);
    if (found) heard.resolve(found.session);
  });
  session.say({ type: "turn.begun" }, { id: "sub" });
  return { id, turn, child: await heard.promise, session };
}

test("a sub-agent's session that can store nothing more does not hold the agent any longer", async (t) => {
  let slow = "";
  const gate = Promise.withResolvers<void>();
  const delay = (log: Log): Log =>
    wrapHolds(log, ({ session, append }) => ({
      append: async (...args) => {
        if (session === slow) await gate.promise;
        return append(...args);
      },
    }));
  const r = await rig(t, { wrap: delay });
  const { id, turn, child, session } = await startBoth(r);
  slow = child;
  for (let i = 0; i < 25_000; i++) session.say({ type: "text", item: "m", kind: "message", delta: "x" }, { id: "sub" });
  await eventually("the agent is held", () => session.paused);
  // Another holder: the session's own writer is fenced.
  await r.log.open(child);
  gate.resolve();
  await eventually("the agent goes on", () => !session.paused);
  session.say({ type: "turn.finished", reason: "end_turn" });
  await r.until(id, (event) => ended(event) && event.turn === turn);
});

test("an agent whose last sub-agent's session can store nothing more is let go when it is idle", async (t) => {
  const r = await rig(t, { idleCloseMs: 20 });
  const { id, child, session } = await startBoth(r);
  session.say({ type: "turn.finished", reason: "end_turn" });
  await r.until(id, ended);
  await r.log.open(child);
  session.say({ type: "text", item: "m", kind: "message", delta: "x" }, { id: "sub" });
  await eventually("the agent is let go", () => session.gone);
});

test("a command for a sub-agent's session is taken at every moment at which its agent leaves", async (t) => {
  // A log that answers without the disk: the moments differ by a few promises only.
  const memory = createMemoryLog();
  const r = await rig(t, { wrap: (log) => ({ ...memory, close: () => log.close() }) });
  for (let moment = 0; moment < 40; moment++) {
    const { id, child, session } = await startBoth(r);
    session.say({ type: "turn.finished", reason: "end_turn" }, { id: "sub" });
    session.say({ type: "turn.finished", reason: "end_turn" });
    await Promise.all([r.until(id, ended), r.until(child, ended)]);
    await nextTurn();
    session.exit(0);
    for (let promises = 0; promises < moment; promises++) await undefined;
    const { title } = await r.gateway.update(child, { title: `Moment ${moment}` });
    assert.equal(title, `Moment ${moment}`);
  }
});
