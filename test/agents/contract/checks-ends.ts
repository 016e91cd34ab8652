import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { working } from "./checks-turns.ts";
import { type ContractRig, numbers, promptOf, Watched } from "./watched.ts";

/** Every call that can be made; those that the agent does not have are left out. */
async function callEverything(rig: ContractRig, watched: Watched): Promise<void> {
  const { session } = watched;
  const prompt = promptOf(rig, "work");
  const calls: [name: string, call: () => Promise<void> | undefined][] = [
    ["prompt", () => session.prompt(prompt)],
    ["steer", () => session.steer?.(prompt)],
    ["compact", () => session.compact?.()],
    ["cancel", () => session.cancel()],
    ["answer", () => session.answer("ask", { kind: "permission", outcome: "once" })],
    ["decide", () => session.decide?.("ask", "go")],
    ["set", () => session.set({ mode: "plan", model: "another" })],
    ["close", () => session.close()],
    ["kill", () => session.kill(0)],
    ["close again", () => session.close()],
  ];
  session.pause();
  session.resume();
  for (const [name, call] of calls) {
    await assert.doesNotReject(watched.soon(name, call() ?? Promise.resolve()), `${name} of an agent that has exited`);
  }
}

async function leavesTurn(rig: ContractRig, how: "close" | "kill"): Promise<void> {
  const watched = await working(rig);
  await eventually("a process of the turn", () => rig.processes().length > 0);
  const { session } = watched;
  const left = (how === "close" ? session.close() : session.kill(200)).then(() => watched.all("exited").length);
  assert.equal(await watched.soon(how, left), 1, `expected exited when ${how} resolves`);
  assert.deepEqual(rig.processes(), [], `expected no process after ${how}`);
  await watched.assertEnded(`after ${how} in a turn`);
}

/** Checks of how a session ends. */
export const ENDS = {
  "a close in a turn leaves no process, and exited is the last signal": (rig: ContractRig) => leavesTurn(rig, "close"),
  "a kill in a turn leaves no process, and exited is the last signal": (rig: ContractRig) => leavesTurn(rig, "kill"),
  "a kill while paused emits exited": async (rig: ContractRig) => {
    const watched = await working(rig);
    watched.session.pause();
    await watched.soon("kill while paused", watched.session.kill(0));
    await watched.assertEnded("after a kill while paused");
  },
  "a second close waits for the first and emits nothing": async (rig: ContractRig) => {
    const watched = await working(rig);
    const both = [watched.session.close(), watched.session.close()];
    const exits = await watched.soon(
      "two closes at once",
      Promise.all(both.map((one) => one.then(() => watched.all("exited").length))),
    );
    assert.deepEqual(exits, [1, 1], "expected exited when each close resolves");
    await watched.assertEnded("after two closes");
  },
  "no call throws for an agent that has exited, and none wakes it": async (rig: ContractRig) => {
    const watched = await working(rig);
    await watched.soon("kill", watched.session.kill(0));
    await callEverything(rig, watched);
    await watched.assertEnded("after calls to an agent that has exited");
    assert.deepEqual(rig.processes(), [], "expected no process after calls to an agent that has exited");
  },
  "a program that dies tells its code and its last words, after all that it said": async (rig: ContractRig) => {
    const watched = await new Watched(rig).ready();
    await watched.prompt("die");
    await watched.until("the exit of a program that dies", () => watched.all("exited").length === 1);
    await watched.assertEnded("after a death");
    assert.deepEqual(watched.counted(), numbers(3), "expected every word that the program said before it died");
    const [exit] = watched.all("exited");
    assert.equal(exit?.code, 7);
    assert.deepEqual(exit?.stderr, ["last words"], "expected the last lines of stderr in the exit");
    await callEverything(rig, watched);
    await watched.assertEnded("after calls to an agent that has died");
  },
  "signals of a start that was killed do not come later, and a new start serves": async (rig: ContractRig) => {
    const first = await working(rig);
    await first.soon("kill", first.session.kill(0));
    const second = await new Watched(rig).ready();
    assert.equal((await second.turn("count 20")).reason, "end_turn");
    assert.deepEqual(second.counted(), numbers(20));
    await first.assertEnded("while another start serves");
    await second.soon("close", second.session.close());
  },
  "a kill of one session leaves the other be": async (rig: ContractRig) => {
    const first = await working(rig);
    const other = await new Watched(rig, { session: "ses_other" }).ready();
    await first.soon("kill", first.session.kill(0));
    assert.equal((await other.turn("count 20")).reason, "end_turn");
    assert.deepEqual(other.all("exited"), []);
    await other.soon("close", other.session.close());
  },
} as const;
