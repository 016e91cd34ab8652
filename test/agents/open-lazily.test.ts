import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentSession, OpenOptions } from "../../src/agents/contract.ts";
import { openLazily } from "../../src/agents/open-lazily.ts";
import type { Signal } from "../../src/core/ledger/signals.ts";

const METHODS = ["prompt", "rewind", "compact", "steer", "cancel", "answer", "decide", "set", "close", "kill"] as const;

/** A session that notes its calls, behind a module that is loaded when the test says so. */
function rig(has: Parameters<typeof openLazily>[2] = ["rewind", "compact", "steer", "decide"]) {
  const calls: string[] = [];
  const signals: Signal[] = [];
  const gate = Promise.withResolvers<void>();
  const note = (name: string) => async () => void calls.push(name);
  const inner = {
    ...Object.fromEntries(METHODS.map((name) => [name, note(name)])),
    ready: async () => {},
    pause: () => void calls.push("pause"),
    resume: () => void calls.push("resume"),
  } as unknown as AgentSession;
  const open: OpenOptions = {
    session: "ses_1",
    directory: "/",
    trusted: false,
    emit: (signal) => void signals.push(signal),
  };
  const make = (): AgentSession => {
    calls.push("opened");
    return inner;
  };
  const session = openLazily(open, () => gate.promise.then(() => make), has);
  return { session, calls, signals, load: gate.resolve, fail: gate.reject };
}

const PROMPT = { id: "msg_1", parts: [] };
const EXIT = { type: "exited", code: null, signal: null, stderr: [] };

test("calls that come before the module are delivered in their order, behind the pause", async () => {
  const { session, calls, load } = rig();
  const made = [session.set({ mode: "plan" }), session.cancel(), session.prompt(PROMPT), session.steer?.(PROMPT)];
  session.pause();
  assert.deepEqual(calls, []);
  load();
  await Promise.all(made);
  assert.deepEqual(calls, ["opened", "pause", "set", "cancel", "prompt", "steer"]);
});

test("a call does not overtake those that wait", async () => {
  const { session, calls, load } = rig();
  const prompted = session.prompt(PROMPT);
  load();
  const closed = session.ready().then(() => session.close());
  await Promise.all([prompted, closed]);
  assert.deepEqual(calls, ["opened", "prompt", "close"]);
});

test("a pause that was taken back before the module came does not hold", async () => {
  const { session, calls, load } = rig();
  session.pause();
  session.resume();
  load();
  await session.ready();
  assert.deepEqual(calls, ["opened"]);
});

for (const how of ["close", "kill"] as const) {
  test(`a ${how} before the module comes opens nothing, emits one exit and fails ready at once`, async () => {
    const { session, calls, signals, load } = rig();
    const leave = (): Promise<void> => (how === "close" ? session.close() : session.kill(0));
    const ready = assert.rejects(session.ready(), /closed before it was open/);
    await Promise.all([leave(), leave(), ready]);
    load();
    await session.prompt(PROMPT);
    assert.deepEqual([calls, signals], [[], [EXIT]]);
  });
}

test("a module that cannot be loaded fails ready, and the session is a dead one", async () => {
  const { session, signals, fail } = rig();
  fail(new Error("no such module"));
  await assert.rejects(session.ready(), /no such module/);
  for (const call of [session.prompt(PROMPT), session.cancel(), session.set({}), session.kill(0), session.close()])
    await call;
  assert.deepEqual(signals, [EXIT]);
});

test("only the optional calls that the agent has are there", () => {
  const { session } = rig(["decide"]);
  assert.deepEqual([session.steer, session.compact, typeof session.decide], [undefined, undefined, "function"]);
});
