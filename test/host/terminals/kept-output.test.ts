import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KeptOutput } from "../../../src/host/terminals/kept-output.ts";

/** Everything from a place on, as a reader gets it. */
function readAll(output: KeptOutput, from: number, to = output.end): string {
  let text = "";
  for (let at = from; at < to; ) {
    const piece = output.read(at, to);
    assert.ok(piece.next > at, "a reader always gets on");
    text += piece.text;
    at = piece.next;
  }
  return text;
}

const writes = fc.array(fc.string({ unit: "grapheme", minLength: 0, maxLength: 40 }), { maxLength: 60 });

test("B10: any reader gets, from its offset on, exactly the output that was written", () => {
  fc.assert(
    fc.property(
      writes,
      fc.integer({ min: 1, max: 500 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (texts, limit, at) => {
        const output = new KeptOutput(limit);
        for (const text of texts) output.append(text);
        const all = texts.join("");
        assert.equal(output.end, all.length);
        const kept = output.end - output.start;
        assert.ok(kept >= Math.min(limit, all.length));
        assert.equal(readAll(output, output.start), all.slice(output.start));
        const from = output.start + Math.floor(at * kept);
        const inside = from < all.length && /[\udc00-\udfff]/.test(all.charAt(from));
        assert.equal(readAll(output, from), all.slice(inside ? from + 1 : from));
      },
    ),
    { numRuns: 2_000 },
  );
});

test("B10: much output costs little, and offsets stay when the beginning is forgotten", () => {
  const output = new KeptOutput(1_000);
  for (let i = 0; i < 100_000; i++) output.append(`${String(i).padStart(9)}\n`);
  assert.equal(output.end, 1_000_000);
  assert.ok(output.end - output.start <= 1_000 + 4 * 1024);
  assert.equal(readAll(output, output.end - 10), "    99999\n");
  const early = output.read(0, output.end);
  assert.equal(early.text.length, output.end - output.start, "a forgotten place means the first that is left");
  assert.equal(early.next, output.end);
  assert.deepEqual(output.read(output.end, output.end), { text: "", next: output.end });
});

test("B10: a piece ends where it is told to, and a long text comes in several", () => {
  const output = new KeptOutput(1024 * 1024);
  output.append("abcdef");
  assert.deepEqual(output.read(1, 4), { text: "bcd", next: 4 });
  for (let i = 0; i < 20; i++) output.append("x".repeat(50_000));
  assert.ok(output.read(0, output.end).text.length < 200_000);
  assert.equal(readAll(output, 0).length, 1_000_006);
});
