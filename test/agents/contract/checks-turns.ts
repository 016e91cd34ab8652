import assert from "node:assert/strict";
import { type ContractRig, numbers, Watched } from "./watched.ts";

async function working(rig: ContractRig): Promise<Watched> {
  const watched = await new Watched(rig).ready();
  await watched.prompt("work");
  await watched.until("a word of the turn", () => watched.all("text").length > 0);
  return watched;
}

/** Checks of what happens while an agent works. */
export const TURNS = {
  "no signal comes while paused, and none is lost": async (rig: ContractRig) => {
    const watched = await new Watched(rig).ready();
    let pauses = 0;
    let paused = false;
    const early: string[] = [];
    watched.onSignal = ({ type }) => {
      if (paused) early.push(type);
      if (type !== "text" || paused || pauses === 3) return;
      pauses++;
      paused = true;
      watched.session.pause();
    };
    await watched.prompt("count 30");
    for (let pause = 1; pause <= 3; pause++) {
      await watched.until(`word ${pause}`, () => pauses === pause);
      await watched.staysQuiet("while paused");
      assert.deepEqual(early, [], "expected no signal while paused");
      paused = false;
      watched.session.resume();
    }
    await watched.until("the end of the turn", () => watched.all("turn.finished").length === 1);
    assert.deepEqual(watched.counted(), numbers(30), "expected every word of the turn, in order");
    await watched.soon("close", watched.session.close());
    await watched.assertEnded("after close");
  },
  "a pause that is made within a signal holds the next one": async (rig: ContractRig) => {
    const watched = await new Watched(rig).ready();
    let paused = false;
    const early: string[] = [];
    watched.onSignal = ({ type }) => {
      if (paused) early.push(type);
      if (paused || type === "exited") return;
      paused = true;
      watched.session.pause();
      setImmediate(() => {
        paused = false;
        watched.session.resume();
      });
    };
    await watched.turn("count 5");
    assert.deepEqual(early, [], "expected no signal while paused");
    assert.deepEqual(watched.counted(), numbers(5));
    await watched.soon("close", watched.session.close());
  },
  "a cancel ends the turn, and the next prompt is served": async (rig: ContractRig) => {
    const watched = await working(rig);
    await watched.soon("cancel", watched.session.cancel());
    await watched.until("the end of a cancelled turn", () => watched.all("turn.finished").length === 1);
    assert.equal(watched.all("turn.finished")[0]?.reason, "cancelled");
    assert.equal((await watched.turn("count 3")).reason, "end_turn");
    await watched.soon("close", watched.session.close());
  },
  "an agent that ignores a cancel is ended by kill": async (rig: ContractRig) => {
    const watched = await new Watched(rig).ready();
    await watched.prompt("deaf");
    await watched.until("a word of the turn", () => watched.all("text").length > 0);
    const cancelled = watched.session.cancel();
    await watched.soon("kill", watched.session.kill(200));
    await watched.soon("cancel of an agent that was killed", cancelled);
    await watched.assertEnded("after the kill of an agent that ignores a cancel");
    assert.deepEqual(rig.processes(), [], "expected no process after kill");
  },
  "answers to unknown asks are harmless, and so is a second answer": async (rig: ContractRig) => {
    const watched = await new Watched(rig).ready();
    const { session } = watched;
    const once = { kind: "permission", outcome: "once" } as const;
    await watched.prompt("ask");
    await watched.until("a permission", () => watched.all("permission").length === 1);
    const ask = watched.all("permission")[0]?.ask ?? "";
    const before = watched.signals.length;
    await watched.soon("answer to an unknown ask", session.answer("no-such-ask", once));
    await watched.soon("decide of an unknown ask", session.decide?.("no-such-ask", "go") ?? Promise.resolve());
    await watched.staysQuiet("after the answer to an unknown ask", before);
    await watched.soon("answer", session.answer(ask, once));
    await watched.soon("second answer", session.answer(ask, { kind: "permission", outcome: "reject" }));
    await watched.until("the end of the turn", () => watched.all("turn.finished").length === 1);
    assert.equal(watched.all("turn.finished")[0]?.reason, "end_turn");
    assert.equal((await watched.turn("count 3")).reason, "end_turn");
    await watched.soon("close", session.close());
  },
  "set settles for every mode, and the first mode serves a turn": async (rig: ContractRig) => {
    const { modes } = await rig.agent.discover();
    const watched = await new Watched(rig).ready();
    for (const { id } of [...modes, ...modes.slice(0, 1)]) {
      const settled = watched.session.set({ mode: id }).catch((error: unknown) => assert.ok(error instanceof Error));
      await watched.soon(`set({ mode: "${id}" })`, settled);
    }
    assert.equal((await watched.turn("count 3")).reason, "end_turn");
    await watched.soon("close", watched.session.close());
  },
  "steer settles, and the turn still ends": async (rig: ContractRig) => {
    const watched = await working(rig);
    await watched.steer("count 2");
    await watched.soon("cancel", watched.session.cancel());
    await watched.until("the end of a steered turn", () => watched.all("turn.finished").length > 0);
    await watched.soon("close", watched.session.close());
    await watched.assertEnded("after close");
  },
  "compact is there where the agent says so, and is a turn": async (rig: ContractRig) => {
    const watched = await new Watched(rig).ready();
    await watched.turn("count 3");
    const { compact } = watched.session;
    assert.equal(compact !== undefined, rig.agent.capabilities?.compact === true);
    if (compact) {
      await watched.soon("compact", watched.session.compact?.() ?? Promise.resolve());
      await watched.until("the end of the compaction", () => watched.all("turn.finished").length === 2);
    }
    await watched.soon("close", watched.session.close());
  },
} as const;

export { working };
