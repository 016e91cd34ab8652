import assert from "node:assert/strict";
import { test } from "node:test";
import { Deferreds, type Outcome } from "../../../src/agents/house/turn/deferreds.ts";
import { ToolFailure } from "../../../src/agents/house/turn/tool-failure.ts";
import { GRACE_MS } from "../../../src/core/ledger/state.ts";

const done = (output: string): Outcome => ({ ok: true, output });
const never = (): Promise<Outcome> => new Promise(() => {});

function watched(): { deferreds: Deferreds; settled: Map<string, Outcome[]> } {
  const settled = new Map<string, Outcome[]>();
  const note = (call: string, outcome: Outcome): void => {
    settled.set(call, [...(settled.get(call) ?? []), outcome]);
  };
  return { deferreds: new Deferreds(note), settled };
}

/** Whether a promise is settled once everything that can run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let yes = false;
  void promise.then(() => {
    yes = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return yes;
}

test("C1: a call is waited for from the first sign of it, before anything runs", async () => {
  const { deferreds } = watched();
  deferreds.see("a");
  const all = deferreds.all();
  assert.equal(await isSettled(all), false);
  deferreds.run("a", async () => done("ok"));
  await all;
  assert.equal(deferreds.outcome("a")?.output, "ok");
});

test("C1: all means all", async () => {
  const { deferreds } = watched();
  const gate = Promise.withResolvers<Outcome>();
  deferreds.run("quick", async () => done("ok"));
  deferreds.run("late", () => gate.promise);
  const all = deferreds.all();
  assert.equal(await isSettled(all), false);
  gate.resolve(done("late"));
  await all;
});

test("C2: what is open after the stream is awaited together, once, and a timeout does not throw", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { deferreds, settled } = watched();
  for (let at = 0; at < 6; at++) deferreds.run(`stuck ${at}`, never);
  const drained = deferreds.drain(GRACE_MS, "aborted");
  t.mock.timers.tick(GRACE_MS - 1);
  assert.equal(await isSettled(drained), false);
  t.mock.timers.tick(1);
  await drained;
  assert.equal(settled.size, 6);
  for (const [outcome] of settled.values()) assert.equal(outcome?.error?.code, "aborted");
});

test("C2: a drain is over as soon as the last call is", async () => {
  const { deferreds } = watched();
  deferreds.run(
    "obeys",
    (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(done("left")))),
  );
  await deferreds.drain(3_600_000, "aborted");
  assert.equal(deferreds.outcome("obeys")?.output, "left");
});

test("C3: success, failure and interruption each settle the deferred", async () => {
  const { deferreds } = watched();
  deferreds.run("works", async () => done("ok"));
  deferreds.run("fails", async () => {
    throw new ToolFailure("no_match", "not there");
  });
  deferreds.run("throws at once", () => {
    throw new TypeError("broken");
  });
  await deferreds.all();
  deferreds.run("stuck", never);
  deferreds.see("never called");
  await deferreds.drain(1, "aborted: stopped");
  const codes = ["works", "fails", "throws at once", "stuck", "never called"].map((call) => {
    const outcome = deferreds.outcome(call);
    return [outcome?.ok, outcome?.error?.code];
  });
  assert.deepEqual(codes, [
    [true, undefined],
    [false, "no_match"],
    [false, "tool_failed"],
    [false, "aborted"],
    [false, "aborted"],
  ]);
});

test("C3: each call is settled once, and what comes after that is not heard", async () => {
  const { deferreds, settled } = watched();
  const gate = Promise.withResolvers<Outcome>();
  deferreds.run("late", () => gate.promise);
  deferreds.run("late", async () => done("started twice"));
  await deferreds.drain(1, "aborted");
  gate.resolve(done("too late"));
  await isSettled(gate.promise);
  assert.deepEqual(
    settled.get("late")?.map(({ error }) => error?.code),
    ["aborted"],
  );
});

test("C3: a tool learns that it was given up", async () => {
  const { deferreds } = watched();
  const told = Promise.withResolvers<void>();
  deferreds.run("listens", (signal) => {
    signal.addEventListener("abort", () => told.resolve());
    return never();
  });
  await deferreds.drain(1, "aborted");
  await told.promise;
});

test("a call that the model never completed is given up when its stream ends well", async () => {
  const { deferreds } = watched();
  deferreds.see("half");
  deferreds.giveUpUnstarted("not completed");
  await deferreds.all();
  assert.equal(deferreds.outcome("half")?.error?.message, "not completed");
});
