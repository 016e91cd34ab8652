import assert from "node:assert/strict";
import { test } from "node:test";
import { heard, laterBy, Passed, summed } from "../../bench/harness/paced.ts";
import { closeTo } from "../../bench/harness/versus.ts";

test("a piece is timed from its first write, though the whole text is written once more at its end", () => {
  const [sent, came] = [new Passed(), new Passed()];
  sent.note("word <0> ", 10);
  sent.note("word <1> ", 20);
  came.note("word <0> ", 12);
  came.note("word <1> ", 23);
  sent.note("word <0> word <1> ", 30);
  assert.deepEqual(heard(sent, came, 5), { delays: [2, 3], first: 7, began: 5 });
});

test("a goal beside a program is met up to its share and its milliseconds, and not beyond", () => {
  assert.equal(closeTo({ native: 10, parley: 12 }, 1.1, 1)?.met, true);
  assert.equal(closeTo({ native: 10, parley: 12.1 }, 1.1, 1)?.met, false);
});

test("turns are shown by the median of them, each side by itself", () => {
  const turn = (first: number, ...delays: number[]) => ({ first, delays, began: 0 });
  const native = [turn(10, 1, 2, 3), turn(30, 4, 5, 6), turn(20, 7, 8, 9)];
  const parley = [turn(11, 2, 2, 40)];
  const { median, p99, first } = summed({ native, parley });
  assert.deepEqual(
    { median, p99, first },
    {
      median: { native: 5, parley: 2 },
      p99: { native: 6, parley: 40 },
      first: { native: 20, parley: 11 },
    },
  );
});

test("a piece is later by the difference of its own times, and a piece that one of two missed is an error", () => {
  const turn = (...delays: number[]) => ({ first: 0, delays, began: 0 });
  assert.deepEqual(laterBy(turn(5, 20), turn(4, 10)), [1, 10]);
  assert.throws(() => laterBy(turn(5), turn(4, 10)), /expected the same 2 pieces at both, got 1/);
});
