import assert from "node:assert/strict";
import { test } from "node:test";
import { heard, Passed } from "../../bench/harness/paced.ts";
import { closeTo } from "../../bench/harness/versus.ts";

test("a piece is timed from its first write, though the whole text is written once more at its end", () => {
  const [sent, came] = [new Passed(), new Passed()];
  sent.note("word <0> ", 10);
  sent.note("word <1> ", 20);
  came.note("word <0> ", 12);
  came.note("word <1> ", 23);
  sent.note("word <0> word <1> ", 30);
  assert.deepEqual(heard(sent, came, 5), { delays: [2, 3], first: 7 });
});

test("a goal beside a program is met up to its share and its milliseconds, and not beyond", () => {
  assert.equal(closeTo({ native: 10, parley: 12 }, 1.1, 1)?.met, true);
  assert.equal(closeTo({ native: 10, parley: 12.1 }, 1.1, 1)?.met, false);
});
