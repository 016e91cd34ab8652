import assert from "node:assert/strict";
import { test } from "node:test";
import { addCut, isCut } from "../../../src/core/history/cuts.ts";
import { turnsOf } from "../../../src/core/history/turns.ts";
import { checkLaws } from "../../../src/core/ledger/laws.ts";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "./world.ts";

const world = (): World => new World({ step, newLedger, restore });

function turn(w: World, prompt: string): World {
  w.prompt(prompt).signal({ type: "text.done", item: prompt, kind: "message", text: `answer to ${prompt}` });
  return w.signal({ type: "turn.finished", reason: "end_turn" });
}

/** Takes back all turns from one on, as the gateway does. */
function takeBack(w: World, prompt: string): World {
  const turns = turnsOf(w.events);
  const gone = turns.slice(turns.findIndex(({ messages }) => messages.includes(prompt)));
  const cut = {
    turns: gone.map(({ id }) => id),
    from: gone[0]?.seq ?? 0,
    messages: gone.flatMap(({ messages }) => messages),
  };
  return w.command({ type: "update", facts: { meta: { revert: { messageID: prompt, cut } } } });
}

test("turns that were taken back are cut when the next prompt begins, before its turn", () => {
  const w = turn(turn(turn(world(), "msg_1"), "msg_2"), "msg_3");
  takeBack(w, "msg_2");
  assert.equal(w.of("history.cut").length, 0, "it can still be brought back");
  const before = w.events.length;
  turn(w, "msg_4");
  assert.deepEqual(
    w.events.slice(before, before + 3).map(({ type }) => type),
    ["history.cut", "session.updated", "turn.started"],
  );
  const [cut] = w.of("history.cut");
  assert.deepEqual(
    cut?.data.messages.filter((id) => id.startsWith("msg_")),
    ["msg_2", "msg_3"],
  );
  assert.equal(w.session?.meta?.revert, undefined);
  assert.deepEqual(w.broken(), []);
  const shown = w.of("turn.started").filter(({ seq }) => !isCut(w.session?.cuts, seq));
  assert.deepEqual(
    shown.map(({ data }) => data.prompt?.id),
    ["msg_1", "msg_4"],
  );
  assert.deepEqual(turnsOf(w.events).length, 2);
});

test("it is cut after a restart, too", () => {
  const w = takeBack(turn(turn(world(), "msg_1"), "msg_2"), "msg_2");
  const again = w.crashAfter(w.boundaries.length - 1);
  turn(again, "msg_3");
  assert.equal(again.of("history.cut").length, 1);
  assert.deepEqual(again.broken(), []);
});

test("a command that was taken back is not told to the agent", () => {
  const w = turn(world(), "msg_1");
  for (const command of ["ls", "pwd"]) {
    w.command({ type: "prompt", prompt: { id: `msg_${command}`, parts: [], task: { type: "shell", command } } });
    w.signal({ type: "turn.finished", reason: "end_turn" });
  }
  takeBack(w, "msg_pwd").prompt("msg_2");
  const delivered = w.effects.findLast((effect) => effect.type === "deliver");
  const told = delivered?.prompt.parts.map((part) => (part.type === "text" ? part.text : "")) ?? [];
  assert.deepEqual([told.length, told[0]], [2, "do msg_2"]);
  assert.match(told[1] ?? "", /\$ ls\n/);
  assert.deepEqual(w.state.untold, w.session?.untold ?? []);
});

test("laws 1 and 2: only turns that are over and there are cut, each once", () => {
  const w = takeBack(turn(turn(world(), "msg_1"), "msg_2"), "msg_2");
  turn(w, "msg_3");
  const at = w.events.findIndex(({ type }) => type === "history.cut");
  const cut = w.events[at] ?? assert.fail();
  const inside = w.events.findIndex(({ type }, index) => index > at && type === "turn.started") + 1;
  const withCut = (index: number): number[] =>
    checkLaws(
      [...w.events.slice(0, index), cut, ...w.events.slice(index)].map((event, number) => ({
        ...event,
        seq: number + 1,
      })),
    ).map(({ law }) => law);
  assert.deepEqual(withCut(at), [1], "twice");
  assert.deepEqual(withCut(1), [1, 1], "before it was there");
  assert.deepEqual(withCut(inside), [2, 1], "inside a turn");
});

test("cuts that touch are one", () => {
  let cuts = addCut([], { from: 10, to: 20 });
  cuts = addCut(cuts, { from: 21, to: 30 });
  assert.deepEqual(cuts, [{ from: 10, to: 30 }]);
  cuts = addCut(cuts, { from: 50, to: 60 });
  assert.equal(cuts.length, 2);
  cuts = addCut(cuts, { from: 5, to: 70 });
  assert.deepEqual(cuts, [{ from: 5, to: 70 }]);
  assert.deepEqual(
    [4, 5, 70, 71].map((seq) => isCut(cuts, seq)),
    [false, true, true, false],
  );
});

test("a revert can be made final without a prompt, once, and nothing happens where there is none", () => {
  const w = turn(turn(world(), "msg_1"), "msg_2");
  const before = w.events.length;
  w.command({ type: "commit" });
  assert.equal(w.events.length, before, "there is nothing to cut");
  takeBack(w, "msg_2");
  w.command({ type: "commit" }).command({ type: "commit" });
  assert.deepEqual(
    w.of("history.cut").map(({ data }) => data.messages.includes("msg_2")),
    [true],
  );
  assert.equal(w.session?.meta?.revert, undefined);
  turn(w, "msg_3");
  assert.equal(w.of("history.cut").length, 1, "the next prompt cuts nothing more");
  assert.deepEqual(w.broken(), []);
});
