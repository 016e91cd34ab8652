import assert from "node:assert/strict";
import { test } from "node:test";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "./world.ts";

const world = (): World => new World({ step, newLedger, restore });
const usage = { tokens: { input: 10, output: 5, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, cost: 0.5 };

/** A turn with two steps that told their usage. */
function stepped(w: World): World {
  for (const key of ["one", "two"]) {
    w.signal({ type: "step.begun", step: key });
    w.signal({ type: "step.finished", step: key, usage });
  }
  return w;
}

test("the end of a turn tells its steps, its model and what the steps have used", () => {
  const w = stepped(
    world()
      .command({ type: "update", facts: { model: "m" } })
      .prompt("msg_1"),
  );
  w.signal({ type: "turn.finished", reason: "end_turn" });
  const { data } = w.of("turn.ended").at(-1) ?? {};
  assert.deepEqual([data?.steps, data?.model, data?.usage?.tokens?.input, data?.usage?.cost], [2, "m", 20, 1]);
  assert.equal(data?.elsewhere, undefined);
});

test("a turn keeps the model that it began with", () => {
  const w = stepped(
    world()
      .command({ type: "update", facts: { model: "first" } })
      .prompt("msg_1"),
  );
  w.command({ type: "update", facts: { model: "second" } });
  w.signal({ type: "turn.finished", reason: "end_turn" });
  assert.equal(w.of("turn.ended").at(-1)?.data.model, "first");
});

test("what the steps of a turn have used is not lost in a crash", () => {
  const w = stepped(world().prompt("msg_1"));
  const crashed = w.crashAfter(w.boundaries.length - 1);
  const { data } = crashed.of("turn.ended").at(-1) ?? {};
  assert.deepEqual([data?.reason, data?.steps, data?.usage?.tokens?.input], ["interrupted", 2, 20]);
});

test("a turn that is told once more was not spent here", () => {
  const w = world();
  w.signal({ type: "replay.begun" });
  w.signal({ type: "replay.prompt", parts: [{ type: "text", text: "before" }] });
  w.signal({ type: "text.done", item: "i", kind: "message", role: "assistant", text: "said" });
  w.signal({ type: "replay.ended" });
  assert.equal(w.of("turn.ended").at(-1)?.data.elsewhere, true);
  stepped(w.prompt("msg_1")).signal({ type: "turn.finished", reason: "end_turn" });
  assert.equal(w.of("turn.ended").at(-1)?.data.elsewhere, undefined);
});
