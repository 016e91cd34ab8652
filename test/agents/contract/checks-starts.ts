import assert from "node:assert/strict";
import { ResumeLost } from "../../../src/agents/contract.ts";
import { SpawnFailed } from "../../../src/host/contract.ts";
import { type ContractRig, numbers, soon, Watched } from "./watched.ts";

/** Resolves with the error for which `ready` rejects. */
async function failure(watched: Watched): Promise<unknown> {
  const rejected = watched.session.ready().then(
    () => "ready resolved",
    (error: unknown) => error,
  );
  return watched.soon("ready of a start that fails", rejected);
}

async function assertSpawnFails(rig: ContractRig, watched: Watched, when: string): Promise<void> {
  const error = await failure(watched);
  assert.ok(error instanceof SpawnFailed, `expected SpawnFailed ${when}, got ${error}`);
  await watched.soon("kill", watched.session.kill(0));
  await watched.assertEnded(when);
  assert.deepEqual(rig.processes(), [], `expected no process ${when}`);
}

async function leavesEarly(rig: ContractRig, how: "close" | "kill"): Promise<void> {
  const watched = new Watched(rig);
  const settled = watched.session.ready().then(
    () => {},
    () => {},
  );
  await watched.soon(`${how} before ready`, how === "close" ? watched.session.close() : watched.session.kill(0));
  await watched.assertEnded(`when ${how} came before ready`);
  await watched.soon(`ready after an early ${how}`, settled);
  assert.deepEqual(rig.processes(), [], `expected no process after an early ${how}`);
}

/** Checks of how a session begins. */
export const STARTS = {
  "discovery says that the agent is installed, and names each mode once": async (rig: ContractRig) => {
    const found = await soon(rig, "discover", rig.agent.discover());
    assert.equal(found.installed, true, "expected the agent of the rig to be installed");
    const ids = found.modes.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)]);
  },
  "ready resolves, a turn is told from its words to its end, close emits exited": async (rig: ContractRig) => {
    const watched = await new Watched(rig).ready();
    assert.equal((await watched.turn("count 20")).reason, "end_turn");
    assert.deepEqual(watched.counted(), numbers(20));
    assert.equal((await watched.turn("count 3")).reason, "end_turn");
    await watched.soon("close", watched.session.close());
    await watched.assertEnded("after close");
    assert.deepEqual(rig.processes(), [], "expected no process after close");
  },
  "ready rejects with SpawnFailed when the program cannot be started": async (rig: ContractRig) => {
    await assertSpawnFails(rig, new Watched(rig, {}, rig.unstartable), "for a program that cannot be started");
  },
  "ready rejects with SpawnFailed in time when the program never answers": async (rig: ContractRig) => {
    await assertSpawnFails(rig, new Watched(rig, {}, rig.silent), "for a program that never answers");
  },
  "ready rejects with ResumeLost when the agent has forgotten the session": async (rig: ContractRig) => {
    const watched = new Watched(rig, { resume: "1e0b3a54-forgotten" }, rig.forgetful);
    const error = await failure(watched);
    assert.ok(error instanceof ResumeLost, `expected ResumeLost, got ${error}`);
    await watched.soon("kill", watched.session.kill(0));
    await watched.assertEnded("after a resume that was lost");
  },
  "a close before ready ends the start": (rig: ContractRig) => leavesEarly(rig, "close"),
  "a kill before ready ends the start": (rig: ContractRig) => leavesEarly(rig, "kill"),
  "calls before ready are delivered in their order": async (rig: ContractRig) => {
    const watched = new Watched(rig);
    const cancelled = watched.session.cancel();
    assert.equal((await watched.turn("count 5")).reason, "end_turn", "expected the cancel to come before the prompt");
    await watched.soon("cancel before ready", cancelled);
    assert.deepEqual(watched.counted(), numbers(5));
    await watched.soon("close", watched.session.close());
  },
  "a pause before ready holds": async (rig: ContractRig) => {
    const watched = new Watched(rig);
    watched.session.pause();
    const prompted = watched.session.ready().then(() => watched.prompt("count 5"));
    await watched.staysQuiet("while paused from the start");
    await watched.staysQuiet("while paused from the start");
    watched.session.resume();
    await watched.soon("ready after a pause", prompted);
    await watched.until("the end of the turn", () => watched.all("turn.finished").length === 1);
    assert.deepEqual(watched.counted(), numbers(5));
    await watched.soon("close", watched.session.close());
  },
} as const;
