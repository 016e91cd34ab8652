import assert from "node:assert/strict";
import { test } from "node:test";
import { type Flood, floodFaults, floodPrompt, floodText } from "../../bench/harness/flood.ts";
import type { Reading } from "../../bench/harness/reader.ts";
import { SIZES } from "../../bench/measurements/throughput.ts";
import { createTally } from "../../bench/programs/tally.ts";
import { MAX_TEXT } from "../../src/core/ledger/bounds.ts";

const FLOOD: Flood = { items: 2, pieces: 3 };

interface Said {
  type: string;
  folded?: number;
  data: unknown;
}

/** The events of a flood, as a server says them. */
function whole({ items, pieces }: Flood): Said[] {
  return [
    ...Array.from({ length: items }, (_, at) => {
      const item = `itm_${at}`;
      const deltas = Array.from({ length: pieces }, (_, n) => ({ item, field: "text", delta: `word ${n + 1} ` }));
      const completed = { id: item, kind: "message", role: "assistant", text: floodText({ items, pieces }) };
      return [
        { type: "item.started", data: { item: { ...completed, text: "" } } },
        ...deltas.map((data) => ({ type: "item.delta", data })),
        { type: "item.completed", data: { item: completed } },
      ];
    }).flat(),
    { type: "turn.ended", data: {} },
  ];
}

/** One client reads the events, without those that are lost. */
function read(events: readonly Said[], lost: readonly number[] = []): Reading {
  const readings: Reading[] = [];
  const client = createTally({ clients: 1, warmUp: 0, texts: true }, (reading) => readings.push(reading)).client();
  for (const [at, event] of events.entries()) {
    const frame = `id: ses_1:${at + 1}\ndata: ${JSON.stringify({ seq: at + 1, ...event })}`;
    if (!lost.includes(at)) client.frame(frame, 0, frame.length, 0);
  }
  const [reading] = readings;
  assert.ok(reading, "the reader saw the end of the turn");
  return reading;
}

test("a flood that arrives whole has no fault", () => {
  assert.deepEqual(floodFaults(read(whole(FLOOD)), FLOOD), []);
});

test("a flood fails when any single event is lost", () => {
  const events = whole(FLOOD);
  // A client joins at some number, so that its first event has no hole before it; without the last it would go on waiting.
  for (let at = 1; at < events.length - 1; at++) {
    const faults = floodFaults(read(events, [at]), FLOOD);
    assert.notDeepEqual(faults, [], `event ${at + 1}, ${events[at]?.type}, was lost and nobody noticed`);
  }
});

test("a flood fails when a piece was never said, although the numbers have no hole", () => {
  const events = whole(FLOOD);
  events.splice(2, 1);
  assert.deepEqual(floodFaults(read(events), FLOOD), ["5 pieces and 0 folded instead of 6", "the text differs"]);
});

test("a flood fails when a completed text is cut", () => {
  const events = whole(FLOOD);
  const last = events.at(-2);
  assert.ok(last);
  last.data = { item: { id: "itm_1", kind: "message", role: "assistant", text: "word 1 " } };
  assert.deepEqual(floodFaults(read(events), FLOOD), ["the text differs"]);
});

test("a piece that is folded into its completed item is not lost", () => {
  const events = whole(FLOOD);
  const completed = events[4];
  assert.ok(completed);
  completed.folded = 1;
  assert.deepEqual(floodFaults(read(events, [3]), FLOOD), []);
});

for (const [size, { flood }] of Object.entries(SIZES)) {
  test(`the ${size} flood has several items, and each fits into the text that an item may hold`, () => {
    assert.ok(floodPrompt(flood).split(" [[").length > 1);
    assert.ok(floodText(flood).length < MAX_TEXT);
  });
}
