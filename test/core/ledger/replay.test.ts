import assert from "node:assert/strict";
import { test } from "node:test";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "./world.ts";

const world = (): World => new World({ step, newLedger, restore });

function tell(world: World, ...prompts: string[]): World {
  world.signal({ type: "replay.begun" });
  for (const text of prompts) {
    world.signal({ type: "replay.prompt", parts: [{ type: "text", text }] });
    world.signal({ type: "tool.running", call: `c-${text}`, name: "read" });
    world.signal({ type: "tool.done", call: `c-${text}`, ok: true, output: "seen" });
    world.signal({ type: "permission", ask: `a-${text}`, action: "bash" });
    world.signal({ type: "text.done", item: `m-${text}`, kind: "message", text: `answer to ${text}` });
  }
  return world.signal({ type: "replay.ended" });
}

test("a replay is the past of a session that has none: turns that ended, marked, with nothing to do or to answer", () => {
  const told = tell(world(), "one", "two");
  const started = told.of("turn.started");
  assert.deepEqual(
    started.map(({ data }) => [data.by, data.replayed]),
    [
      ["user", true],
      ["user", true],
    ],
  );
  assert.deepEqual(
    told.of("turn.ended").map(({ data }) => data.reason),
    ["end_turn", "end_turn"],
  );
  assert.deepEqual([told.of("permission.requested"), told.effects.filter(({ type }) => type !== "ended")], [[], []]);
  assert.deepEqual([told.session?.title, told.session?.turns, told.session?.turn], ["one", 2, null]);
  assert.deepEqual(told.broken(), []);
  told.prompt("p").signal({ type: "turn.finished", reason: "end_turn" });
  assert.deepEqual(told.of("turn.started").at(-1)?.data.replayed, undefined);
  assert.deepEqual(told.broken(), []);
});

test("a replay of what the log has already says nothing, and the turn that waits for it goes on", () => {
  const told = tell(world(), "one");
  const before = told.events.length;
  tell(told, "one");
  assert.equal(told.events.length, before);
  told.prompt("p");
  const begun = told.events.length;
  tell(told, "one", "two");
  assert.equal(told.events.length, begun);
  told.signal({ type: "text.done", item: "m", kind: "message", text: "Hello" });
  told.signal({ type: "turn.finished", reason: "end_turn" });
  assert.equal(told.session?.turns, 2);
  assert.deepEqual(told.broken(), []);
});

test("an agent that exits in a replay leaves an ended turn, and its next start is heard", () => {
  const told = world().signal({ type: "replay.begun" });
  told.signal({ type: "replay.prompt", parts: [{ type: "text", text: "one" }] }).exit();
  assert.equal(told.of("turn.ended").length, 1);
  told.prompt("p").signal({ type: "turn.finished", reason: "end_turn" });
  assert.equal(told.of("turn.ended").at(-1)?.data.reason, "end_turn");
  assert.deepEqual(told.broken(), []);
});

test("a prompt that comes during a replay waits for its end", () => {
  const told = world().signal({ type: "replay.begun" });
  told.signal({ type: "replay.prompt", parts: [{ type: "text", text: "one" }] });
  told.prompt("p");
  assert.equal(told.session?.queue.length, 1);
  told.signal({ type: "replay.ended" });
  assert.equal(told.session?.turn?.prompt, "p");
  told.signal({ type: "turn.finished", reason: "end_turn" });
  assert.deepEqual(told.broken(), []);
});

test("facts and limits are heard during a replay, too", () => {
  const told = tell(world(), "one").signal({ type: "replay.begun" });
  told.signal({ type: "session", mode: "plan" }).signal({ type: "limits", limits: [{ id: "week", used: 1 }] });
  told.signal({ type: "replay.ended" });
  assert.deepEqual([told.session?.mode, told.session?.limits], ["plan", [{ id: "week", used: 1 }]]);
});
