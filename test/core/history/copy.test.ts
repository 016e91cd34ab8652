import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Draft, ParleyEvent } from "../../../src/core/events/event.ts";
import { copyHistory, cutTurns } from "../../../src/core/history/copy.ts";
import { idSource } from "../../../src/core/ids.ts";
import { checkLaws } from "../../../src/core/ledger/laws.ts";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { reduceSession } from "../../../src/core/session-state.ts";
import { anyAction } from "../ledger/arbitraries.ts";
import { perform } from "../ledger/suite.ts";
import { World } from "../ledger/world.ts";

function world(): World {
  let now = 1_000;
  return new World({ step, newLedger, restore }, { id: idSource(() => now++) });
}

/** As a log would number them, behind the first word of a session. */
function numbered(drafts: readonly Draft[]): ParleyEvent[] {
  const started = {
    type: "session.started",
    time: 0,
    source: "parley",
    data: { agent: "a", directory: "/", version: 1 },
  };
  return [started, ...drafts].map(
    (draft, at) => ({ id: `ses_copy:${at + 1}`, seq: at + 1, session: "ses_copy", ...draft }) as ParleyEvent,
  );
}

function lawful(drafts: readonly Draft[] | undefined): ParleyEvent[] {
  assert.ok(drafts);
  const events = numbered(drafts);
  assert.deepEqual(checkLaws(events, { final: true }), []);
  return events;
}

/** Two steps with a text, a call that asks, and a result. */
function turn(w: World, prompt: string): void {
  w.prompt(prompt).signal({ type: "step.begun", step: `${prompt}-1` });
  w.signal({ type: "text", item: `${prompt}-t`, kind: "message", delta: "I " });
  w.signal({ type: "text.done", item: `${prompt}-t`, kind: "message", text: "I look." });
  w.signal({ type: "tool.seen", call: `${prompt}-c`, name: "bash", input: { command: "ls" } });
  w.signal({ type: "permission", ask: `${prompt}-a`, action: "bash", call: `${prompt}-c` });
  const ask = w.session?.asks[0]?.id ?? "";
  w.command({ type: "answer", ask, answer: { kind: "permission", outcome: "always" }, by: "me" });
  w.signal({ type: "tool.running", call: `${prompt}-c` });
  w.signal({ type: "tool.done", call: `${prompt}-c`, ok: true, output: "a.txt" });
  w.signal({ type: "step.finished", finish: "tool-calls" }).signal({ type: "step.begun", step: `${prompt}-2` });
  w.signal({ type: "text.done", item: `${prompt}-u`, kind: "message", text: `Done ${prompt}.` });
  w.signal({ type: "step.finished", finish: "stop" });
}

const finish = (w: World): World => w.signal({ type: "turn.finished", reason: "end_turn" });

const said = (events: readonly ParleyEvent[]): (string | undefined)[] =>
  events.flatMap((event) =>
    event.type === "item.completed" && event.data.item.kind === "message" ? [event.data.item.text] : [],
  );

const FIRST = ["do msg_1", "I look.", "Done msg_1."];

test("a copy has the same texts under other ids, in the same order, and is lawful", () => {
  const w = world();
  turn(w, "msg_1");
  finish(w);
  turn(w, "msg_2");
  finish(w);
  const copied = lawful(copyHistory(w.events));
  assert.deepEqual(said(copied), [...FIRST, "do msg_2", "I look.", "Done msg_2."]);
  const ids = (events: readonly ParleyEvent[]): string[] =>
    events.flatMap((event) => {
      if (event.type === "step.started") return [event.turn ?? "", event.data.id];
      return event.type === "item.started" ? [event.data.item.id] : [];
    });
  const [before, after] = [ids(w.events), ids(copied)];
  assert.equal(after.length, before.length);
  assert.deepEqual(
    after.filter((id) => before.includes(id)),
    [],
  );
  const parts = after.filter((id) => id.startsWith("prt_"));
  assert.deepEqual(parts, parts.toSorted());
  const state = copied.reduce(reduceSession, undefined as ReturnType<typeof reduceSession> | undefined);
  assert.deepEqual(
    [state?.turns, state?.rules, state?.queue],
    [2, [], []],
    "what was granted was granted to the other one",
  );
});

test("a copy ends before the message that it is given", () => {
  const w = world();
  turn(w, "msg_1");
  finish(w);
  turn(w, "msg_2");
  finish(w);
  assert.deepEqual(said(lawful(copyHistory(w.events, { before: "msg_2" }))), FIRST);
  assert.deepEqual(said(lawful(copyHistory(w.events, { before: "msg_1" }))), []);
  assert.equal(copyHistory(w.events, { before: "msg_none" }), undefined);
});

test("a step's message is cut off in the middle of its turn, which ends there", () => {
  const w = world();
  turn(w, "msg_1");
  finish(w);
  const [first, second] = w.of("step.started").map(({ data }) => data.id);
  assert.deepEqual(said(lawful(copyHistory(w.events, { before: second }))), ["do msg_1", "I look."]);
  assert.deepEqual(said(lawful(copyHistory(w.events, { before: first }))), ["do msg_1"]);
});

test("a copy may end before a steered prompt, and leaves out items that were open there", () => {
  const w = world().prompt("msg_1");
  w.signal({ type: "text", item: "t", kind: "message", delta: "I am in the mid" });
  w.signal({ type: "tool.running", call: "c", name: "bash" });
  w.signal({ type: "permission", ask: "a", action: "bash" });
  w.command({ type: "steer", prompt: { id: "msg_steer", parts: [{ type: "text", text: "Stop" }] } });
  finish(w).fireTimers();
  assert.deepEqual(said(lawful(copyHistory(w.events, { before: "msg_steer" }))), ["do msg_1"]);
});

test("a turn that is still open is not copied, a prompt that waits neither", () => {
  const w = world();
  turn(w, "msg_1");
  finish(w);
  turn(w, "msg_2");
  w.prompt("msg_3");
  assert.deepEqual(said(lawful(copyHistory(w.events))), FIRST);
  assert.deepEqual(said(lawful(copyHistory(w.events, { before: "msg_3" }))), FIRST);
});

test("a prompt that waited goes along with its turn, context too", () => {
  const w = world().prompt("msg_1");
  w.command({
    type: "prompt",
    prompt: { id: "msg_kept", parts: [{ type: "text", text: "kept" }], delivery: "context" },
  });
  w.prompt("msg_2");
  w.prompt("msg_gone").command({ type: "withdraw", prompt: "msg_gone" });
  finish(w);
  finish(w);
  assert.deepEqual(said(lawful(copyHistory(w.events))), ["do msg_1", "kept", "do msg_2"]);
  assert.deepEqual(said(lawful(copyHistory(w.events, { before: "msg_2" }))), ["do msg_1"]);
});

test("a command that the user ran and the agent was not told of is told in the copy", () => {
  const w = world();
  w.command({ type: "prompt", prompt: { id: "msg_1", parts: [], task: { type: "shell", command: "ls" } } });
  w.signal({ type: "tool.running", call: "c", name: "bash" }).signal({
    type: "tool.done",
    call: "c",
    ok: true,
    output: "x",
  });
  finish(w);
  const copied = lawful(copyHistory(w.events));
  const state = copied.reduce(reduceSession, undefined as ReturnType<typeof reduceSession> | undefined);
  assert.match(state?.untold?.[0]?.text ?? "", /\$ ls\nx/);
});

test("a copy of any part of any session is lawful", () => {
  const scenario = fc.array(anyAction, { minLength: 5, maxLength: 60 });
  let copies = 0;
  for (const [seed, actions] of fc.sample(scenario, { numRuns: 200, seed: 7 }).entries()) {
    const w = world().prompt("msg_first");
    actions.forEach((action, at) => {
      perform(w, action, seed * 1_000 + at);
    });
    const gone = cutTurns(w.events);
    const there = w.events.filter(({ turn: id }) => !gone.has(id ?? ""));
    const places = there.flatMap((event) => {
      if (event.type === "step.started") return [event.data.id];
      return event.type === "turn.started" && event.data.prompt ? [event.data.prompt.id] : [];
    });
    for (const place of [undefined, ...places]) {
      lawful(copyHistory(w.events, { before: place }));
      copies++;
    }
  }
  assert.ok(copies > 500, `${copies} copies`);
});
