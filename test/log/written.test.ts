import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft } from "../../src/core/events/event.ts";
import { bytesWithin } from "../../src/core/json/written-pieces.ts";
import type { Entry } from "../../src/log/contract.ts";
import { type Written, writing } from "../../src/log/written.ts";
import { drafts } from "./drafts.ts";

const SLICE = 512 * 1024;

function all(entries: readonly Entry[]): { texts: Map<Entry, Written>; steps: number } {
  const steps = writing(entries);
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return { texts: step.value, steps: count };
  }
}

test("the bytes of a long text are its own, wherever it is cut", () => {
  // A character of two units is at each end of a slice, shifted by one in the second text.
  for (const first of ["", "x"]) {
    const draft = drafts.completed("itm_a", first + "\u{1f600}…é".repeat(SLICE));
    const { texts } = all([{ draft }]);
    const [written] = texts.values();
    assert.equal(written?.text, JSON.stringify(draft.data));
    assert.ok(written?.pieces && bytesWithin("", written.pieces, "").equals(Buffer.from(JSON.stringify(draft.data))));
  }
});

test("a long text takes many steps, many short ones few", () => {
  const long = all([{ draft: drafts.completed("itm_a", "x".repeat(8 * SLICE)) }]);
  assert.ok(long.steps >= 8, `${long.steps} steps`);
  const short = all(Array.from({ length: 10_000 }, () => ({ draft: drafts.delta("itm_a", "x".repeat(100)) })));
  assert.ok(short.steps >= 2 && short.steps < 20, `${short.steps} steps`);
  assert.ok([...short.texts.values()].every(({ pieces }) => pieces === undefined));
});

test("an entry that JSON cannot hold is left out", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const bad = { ...drafts.completed("itm_a", "x"), data: circle } as unknown as Draft;
  const good = { draft: drafts.completed("itm_b", "y".repeat(SLICE)) };
  assert.deepEqual([...all([{ draft: bad }, good]).texts.keys()], [good]);
});
