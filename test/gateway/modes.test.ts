import assert from "node:assert/strict";
import { test } from "node:test";
import { MustReopen } from "../../src/agents/contract.ts";
import type { PermissionRule } from "../../src/core/events/values.ts";
import type { Log } from "../../src/log/contract.ts";
import { eventually } from "../support/eventually.ts";
import { wrapHolds } from "../support/wrap-holds.ts";
import type { FakeSession } from "./fake-agent.ts";
import { ended, rig, text } from "./rig.ts";

const finish = (session: FakeSession): void => session.say({ type: "turn.finished", reason: "end_turn" });

test("a mode is chosen again after the agent has changed it by itself, whichever way", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory, mode: "plan" });
  r.fake.onPrompt = (session) => {
    session.say({ type: "session", mode: "build" });
    finish(session);
  };
  for (const mode of ["plan", "plan", undefined, "build", "plan"]) {
    const { turn } = await r.gateway.prompt(id, { ...text("go"), ...(mode ? { mode } : {}) });
    await r.until(id, (event) => ended(event) && event.turn === turn);
  }
  assert.deepEqual(
    r.fake.last.choices,
    [{ mode: "plan" }, { mode: "plan" }],
    "told when it is in another mode, and only then",
  );
  await r.assertLawful(id);
});

test("what an agent says of its mode before it has the prompt does not undo the prompt's choice", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory, mode: "build" });
  const first = r.fake.prompted();
  await r.gateway.prompt(id, text("one"));
  const session = await first;
  await r.gateway.prompt(id, { ...text("two"), mode: "plan" });
  // The agent's last word on the first turn and on its mode come together, and the second prompt begins between them.
  const second = r.fake.prompted();
  finish(session);
  session.say({ type: "session", mode: "auto" });
  await second;
  assert.deepEqual(session.choices, [{ mode: "plan" }]);
  assert.equal((await r.gateway.get(id)).mode, "plan");
  finish(session);
});

test("a prompt whose mode cannot be put in force fails with words, and the mode shown is the one before", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory, mode: "build" });
  r.fake.onPrompt = finish;
  await r.gateway.prompt(id, text("one"));
  await r.until(id, ended);
  r.fake.last.set = async () => {
    throw new Error("it does not take the mode plan: it stays in build");
  };
  const { turn } = await r.gateway.prompt(id, { ...text("two"), mode: "plan" });
  const end = await r.until(id, (event) => ended(event) && event.turn === turn);
  assert.ok(end.type === "turn.ended" && end.data.reason === "error");
  const events = await r.events(id);
  const error = events.find((event) => event.type === "error");
  assert.match(error?.type === "error" ? error.data.message : "", /it stays in build/);
  assert.equal(r.fake.last.prompts.length, 1, "the prompt never reached the agent");
  await eventually("the mode in force is shown", async () => (await r.gateway.get(id)).mode === "build");
  await r.assertLawful(id);
});

test("a mode that only a new start can have brings one, with the conversation", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory, mode: "build" });
  r.fake.onPrompt = (session) => {
    session.say({ type: "session", nativeId: "native-1" });
    finish(session);
  };
  await r.gateway.prompt(id, text("one"));
  await r.until(id, ended);
  const old = r.fake.last;
  old.set = async () => {
    throw new MustReopen("the mode plan");
  };
  const { turn } = await r.gateway.prompt(id, { ...text("two"), mode: "plan" });
  await r.until(id, (event) => ended(event) && event.turn === turn);
  assert.deepEqual([old.gone, r.fake.starts.length], [true, 2]);
  assert.deepEqual([r.fake.last.options.mode, r.fake.last.options.resume], ["plan", "native-1"]);
  assert.equal(r.fake.last.prompts.length, 1);
  await r.assertLawful(id);
});

test("a change of the session reaches the running agent before it is shown", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory, mode: "build" });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("go"));
  const session = await got;
  session.set = async (choice) => {
    session.choices.push(choice);
    assert.equal((await r.gateway.get(id)).mode, "build", "it is not shown before it is so");
  };
  assert.equal((await r.gateway.update(id, { mode: "plan" })).mode, "plan");
  assert.deepEqual(session.choices, [{ mode: "plan" }]);
  session.set = async () => {
    throw new Error("not now");
  };
  await assert.rejects(r.gateway.update(id, { mode: "build" }), { code: "invalid", message: "not now" });
  session.set = async () => {
    throw new MustReopen("the mode build");
  };
  await assert.rejects(r.gateway.update(id, { mode: "build" }), { code: "busy", message: /stop the turn first/ });
  assert.equal((await r.gateway.get(id)).mode, "plan");
  finish(session);
  await r.until(id, ended);
  assert.equal((await r.gateway.update(id, { mode: "build" })).mode, "build", "idle, it is let go for that");
  assert.ok(session.gone);
  await r.assertLawful(id);
});

test("a choice that is made while the agent starts is in force before it has the prompt", async (t) => {
  const r = await rig(t);
  const gate = Promise.withResolvers<void>();
  r.fake.gate = gate.promise;
  r.fake.onPrompt = finish;
  const { id } = await r.gateway.create({ directory: r.directory, mode: "build" });
  await r.gateway.prompt(id, text("go"));
  await eventually("the agent starts", () => r.fake.starts.length === 1);
  await r.gateway.update(id, { mode: "plan" });
  gate.resolve();
  await r.until(id, ended);
  assert.deepEqual([r.fake.last.options.mode, r.fake.last.choices], ["build", [{ mode: "plan" }]]);
});

test("new rules hold for a sub-agent that works already, and its session has no mode of its own to choose", async (t) => {
  const r = await rig(t);
  const deny: PermissionRule[] = [{ action: "read", pattern: ".env", verdict: "deny" }];
  const own: PermissionRule[] = [{ action: "edit", pattern: "*", verdict: "deny" }];
  const { id } = await r.gateway.create({ directory: r.directory });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("go"));
  const session = await got;
  const verdicts: string[] = [];
  Object.assign(session, {
    decide: async (ask: string, verdict: string) => {
      verdicts.push(`${ask} ${verdict}`);
      r.fake.events.emit("answer");
    },
  });
  const child = { id: "sub-1" };
  const intent = (ask: string, action: string, path: string): void =>
    session.say({ type: "intent", ask, action, patterns: [path] }, child);
  session.say({ type: "turn.begun" }, child);
  intent("a", "read", ".env");
  await eventually("the first is decided", () => verdicts.length === 1);
  const [state] = await r.gateway.list({ parent: id, limit: 5 });
  const sub = state?.id ?? "";
  await r.gateway.update(sub, { permissions: own });
  await r.gateway.update(id, { permissions: deny });
  intent("b", "read", ".env");
  intent("c", "edit", "a.txt");
  await r.fake.answered(2);
  await r.gateway.update(id, { permissions: [] });
  intent("d", "read", ".env");
  await eventually("the last is decided", () => verdicts.length === 2);
  assert.deepEqual(verdicts, ["a go", "d go"]);
  assert.deepEqual(
    session.answers.map(({ ask, answer }) => [ask, answer.outcome]),
    [
      ["b", "reject"],
      ["c", "reject"],
    ],
  );
  assert.deepEqual((await r.gateway.get(sub)).permissions, own);
  await assert.rejects(r.gateway.update(sub, { mode: "plan" }), { code: "invalid" });
});

test("a mode is changed though so many words wait that the agent is held", async (t) => {
  let open: Promise<void> = Promise.resolve();
  const wrap = (log: Log): Log =>
    wrapHolds(log, ({ append }) => ({
      append: async (...args) => {
        await open;
        return append(...args);
      },
    }));
  const r = await rig(t, { wrap });
  const { id } = await r.gateway.create({ directory: r.directory, mode: "build" });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("go"));
  const session = await got;
  // As a program whose answer comes with its other words.
  session.set = async () => eventually("the agent may speak", () => !session.paused);
  const gate = Promise.withResolvers<void>();
  open = gate.promise;
  const flood = (): void => {
    for (let i = 0; i < 10; i++)
      session.say({ type: "text", item: `m${i}`, kind: "message", delta: "x".repeat(1_000_000) });
  };
  flood();
  await eventually("the agent is held", () => session.paused);
  const changed = r.gateway.update(id, { mode: "plan" });
  // The command is in the mailbox when all that the gateway reads before has been read.
  for (let i = 0; i < 20; i++) await r.gateway.get(id);
  flood();
  gate.resolve();
  assert.equal((await changed).mode, "plan");
  finish(session);
  await r.until(id, ended);
});
