import assert from "node:assert/strict";
import { test } from "node:test";
import { createLastLines } from "../../src/host/last-lines.ts";

function ringOf(...chunks: string[]): string[] {
  const ring = createLastLines();
  for (const chunk of chunks) ring.push(Buffer.from(chunk));
  return ring.lines();
}

test("keeps the last 20 lines, oldest first", () => {
  const text = Array.from({ length: 50 }, (_, i) => `line ${i}\n`).join("");
  assert.deepEqual(
    ringOf(text),
    Array.from({ length: 20 }, (_, i) => `line ${i + 30}`),
  );
});

test("an unfinished last line counts", () => {
  const text = Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join("");
  const lines = ringOf(text, "and th", "en");
  assert.equal(lines.length, 20);
  assert.equal(lines[0], "line 1");
  assert.equal(lines.at(-1), "and then");
});

test("a character cut between chunks is whole, a CR is stripped", () => {
  const ring = createLastLines();
  const bytes = Buffer.from("grün\r\n");
  for (const byte of bytes) ring.push(Buffer.of(byte));
  assert.deepEqual(ring.lines(), ["grün"]);
});

test("a long line is cut at 2 kB, however it came", () => {
  assert.deepEqual(ringOf(`${"x".repeat(5000)}\nnext\n`), ["x".repeat(2048), "next"]);
  assert.deepEqual(ringOf(...Array(5000).fill("x"), "\nnext\n"), ["x".repeat(2048), "next"]);
});
