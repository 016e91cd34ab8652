import assert from "node:assert/strict";
import { test } from "node:test";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "./world.ts";

const world = (): World => new World({ step, newLedger, restore });

test("a shell turn's end tells what the agent will be told, and the next prompt for it holds that", () => {
  const w = world();
  const task = { type: "shell", command: "ls" } as const;
  w.command({ type: "prompt", prompt: { id: "msg_1", parts: [{ type: "text", text: "ran", synthetic: true }], task } });
  w.signal({ type: "tool.running", call: "c", name: "bash" }).signal({
    type: "tool.output",
    call: "c",
    delta: "a.txt\n",
  });
  w.signal({ type: "tool.done", call: "c", ok: true, output: "a.txt\n", metadata: { exitCode: 0 } });
  w.signal({ type: "turn.finished", reason: "end_turn" });
  const [end] = w.of("turn.ended");
  assert.match(end?.data.tell ?? "", /\$ ls\na\.txt\n\(exit code 0\)$/);
  assert.deepEqual(w.session?.untold, [{ turn: end?.turn, text: end?.data.tell }]);
  assert.deepEqual(w.state.untold, w.session?.untold);
  w.prompt("msg_2");
  assert.deepEqual([w.state.untold, w.session?.untold], [[], undefined]);
  const delivered = w.effects.findLast((effect) => effect.type === "deliver");
  assert.deepEqual(
    delivered?.prompt.parts.map((part) => [part.type === "text" && part.text, part.synthetic]),
    [
      ["do msg_2", undefined],
      [end?.data.tell, true],
    ],
  );
  assert.deepEqual(w.exit().broken(), []);
});

test("a crash in a shell turn keeps what its command wrote for the agent", () => {
  const w = world();
  const task = { type: "shell", command: "make" } as const;
  w.command({ type: "prompt", prompt: { id: "msg_1", parts: [], task } });
  w.signal({ type: "tool.running", call: "c", name: "bash" }).signal({ type: "tool.output", call: "c", delta: "half" });
  const after = w.crashAfter(w.boundaries.length - 1);
  assert.deepEqual(after.broken(), []);
  assert.match(after.session?.untold?.[0]?.text ?? "", /\$ make\nhalf\n\(it was interrupted\)$/);
});

test("many commands in a row are told by the newest of them", () => {
  const w = world();
  for (let at = 0; at < 20; at++) {
    const task = { type: "shell", command: `echo ${at}` } as const;
    w.command({ type: "prompt", prompt: { id: `msg_${at}`, parts: [], task } });
    w.signal({ type: "tool.done", call: `c${at}`, ok: true, output: "" });
    w.signal({ type: "turn.finished", reason: "end_turn" }).fireTimers();
  }
  const told = w.state.untold.map(({ text }) => text);
  assert.equal(told.length, 8);
  assert.match(told[0] ?? "", /^\(earlier commands are left out here\)\nThe user ran .*\n\$ echo 12\n/);
  assert.equal(told.filter((text) => text.includes("left out")).length, 1);
  assert.deepEqual(w.state.untold, w.session?.untold);
});
