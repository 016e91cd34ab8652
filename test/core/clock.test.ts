import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { neverBack } from "../../src/core/clock.ts";
import { idSource } from "../../src/core/ids.ts";
import { newLedger } from "../../src/core/ledger/state.ts";
import { step } from "../../src/core/ledger/step.ts";

test("a clock that is set back goes on at half its pace, and is followed again when it has caught up", () => {
  let [wall, steady] = [10_000, 0];
  const now = neverBack(
    () => wall,
    () => steady,
  );
  const after = (ms: number, jump = 0): number => {
    wall += ms + jump;
    steady += ms;
    return now();
  };
  assert.deepEqual(
    [now(), after(10), after(10, -1_000), after(100), after(1_000)],
    [10_000, 10_010, 10_015, 10_065, 10_120],
  );
  assert.equal(after(1_000), wall);
  assert.equal(after(5, 3_600_000), wall);
});

test("no jump of a clock makes time step back", () => {
  const jump = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: -1e7, max: 1e7 }));
  fc.assert(
    fc.property(fc.array(jump), (jumps) => {
      let [wall, steady] = [1e12, 0];
      const now = neverBack(
        () => wall,
        () => steady,
      );
      let last = now();
      for (const [passed, by] of jumps) {
        wall += passed + by;
        steady += passed;
        const next = now();
        assert.ok(next >= last && next >= Math.floor(wall));
        last = next;
      }
    }),
  );
});

test("a turn's duration is not the clock's: a jump of a year in it changes nothing", () => {
  const id = idSource(() => 1);
  let state = newLedger("a", "/", {});
  const tell = (input: Parameters<typeof step>[1], now: number, steady: number) => {
    const stepped = step(state, input, { now, steady, id });
    state = stepped.state;
    return stepped.events;
  };
  for (const jump of [37e9, -37e9]) {
    tell(
      { command: { type: "prompt", prompt: { id: `msg_${jump}`, parts: [{ type: "text", text: "go" }] } } },
      1e12,
      500,
    );
    const events = tell({ signal: { type: "turn.finished", reason: "end_turn" } }, 1e12 + jump, 1_750);
    const ended = events.find((event) => event.type === "turn.ended");
    assert.equal(ended?.type === "turn.ended" && ended.data.duration, 1_250);
  }
});
