import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createLineSplitter } from "../../../src/host/lines/line-splitter.ts";
import { cpuMs } from "../../support/time.ts";

function split(chunks: readonly Buffer[], limit?: number): (string | number)[] {
  const out: (string | number)[] = [];
  const splitter = createLineSplitter(
    { line: (text) => out.push(text), oversize: (bytes) => out.push(bytes) },
    { line: limit },
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return out;
}

/** The plainest possible reading of the rules, to compare with. */
function reference(bytes: Buffer, limit: number): (string | number)[] {
  const text = bytes.toString("latin1");
  const pieces = text.split("\n");
  if (pieces.at(-1) === "") pieces.pop();
  return pieces.map((piece) =>
    piece.length > limit ? piece.length : Buffer.from(piece.replace(/\r$/, ""), "latin1").toString("utf8"),
  );
}

const ROWS: [name: string, input: string, lines: string[]][] = [
  ["plain lines", "a\nb\n", ["a", "b"]],
  ["a last line without a line feed", "a\nb", ["a", "b"]],
  ["CRLF", "a\r\nb\r\n", ["a", "b"]],
  ["only one CR is stripped", "a\r\r\n", ["a\r"]],
  ["a CR inside stays", "a\rb\n", ["a\rb"]],
  ["empty lines", "\n\r\n\n", ["", "", ""]],
  ["U+2028, U+2029, U+0085, VT and FF split nothing", "a\u2028b\u2029c\u0085d\ve\f\n", ["a\u2028b\u2029c\u0085d\ve\f"]],
  ["a byte order mark stays", "\ufeffa\n", ["\ufeffa"]],
  ["NUL stays", "a\0b\n", ["a\0b"]],
  ["nothing", "", []],
];

for (const [name, input, lines] of ROWS) {
  test(`splits: ${name}`, () => assert.deepEqual(split([Buffer.from(input)]), lines));
}

test("a split at every byte offset changes nothing (CRLF, U+2028, multi-byte)", () => {
  const bytes = Buffer.from('{"a":"grüße €uro 😀"}\r\n\u2028 line\u2029\r\n\r\n日本語\n\ufeff😀\r\nend€');
  const whole = split([bytes]);
  assert.deepEqual(whole, ['{"a":"grüße €uro 😀"}', "\u2028 line\u2029", "", "日本語", "\ufeff😀", "end€"]);
  for (let at = 0; at <= bytes.length; at++) {
    assert.deepEqual(split([bytes.subarray(0, at), bytes.subarray(at)]), whole, `cut at ${at}`);
  }
  assert.deepEqual(split([...bytes].map((byte) => Buffer.of(byte))), whole, "one byte at a time");
});

test("any chunking of any bytes gives the lines that the rules say", () => {
  const byte = fc.oneof(
    fc.constantFrom(0x0a, 0x0d, 0x0a, 0x61, 0xe2, 0x80, 0xa8, 0xff),
    fc.integer({ min: 0, max: 255 }),
  );
  const chunks = fc.array(
    fc.array(byte, { maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 20 }), (cut, limit) => {
      assert.deepEqual(split(cut, limit), reference(Buffer.concat(cut), limit));
    }),
    { numRuns: 3000 },
  );
});

test("a line at the limit is delivered, one byte more is skipped and counted", () => {
  const line = "x".repeat(100);
  assert.deepEqual(split([Buffer.from(`${line}\nafter\n`)], 100), [line, "after"]);
  assert.deepEqual(split([Buffer.from(`${line}y\nafter\n`)], 100), [101, "after"]);
  assert.deepEqual(split([Buffer.from(line), Buffer.from(line), Buffer.from("\nafter")], 100), [200, "after"]);
  assert.deepEqual(split([Buffer.from(line), Buffer.from(line)], 100), [200]);
});

for (const shorten of [Number.POSITIVE_INFINITY, 1]) {
  test(`tiny chunks cost linear time, ${shorten === 1 ? "shortened" : "as they are"}`, () => {
    const spend = (bytes: number): number => {
      const chunk = Buffer.from("x");
      let length = 0;
      const events = { line: (text: string, left = 0) => (length = text.length + left), oversize: () => {} };
      const splitter = createLineSplitter(events, { shorten });
      const quote = Buffer.from('"');
      const spent = cpuMs(() => {
        splitter.push(quote);
        for (let i = 0; i < bytes - 2; i++) splitter.push(chunk);
        splitter.push(quote);
        splitter.end();
      });
      assert.ok(length >= bytes && length < bytes + 100);
      return spent;
    };
    spend(100_000);
    const small = Math.min(spend(200_000), spend(200_000), spend(200_000));
    const large = Math.min(spend(1_600_000), spend(1_600_000));
    // Linear is 8 times, quadratic 64.
    assert.ok(large < small * 24, `8 times the bytes took ${(large / small).toFixed(1)} times as long`);
  });
}

test("a line over the limit is not accumulated", () => {
  const chunk = Buffer.alloc(64 * 1024, 0x78);
  const reported: number[] = [];
  const splitter = createLineSplitter(
    { line: () => {}, oversize: (bytes) => reported.push(bytes) },
    { line: 1024 * 1024 },
  );
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 3200; i++) splitter.push(chunk);
  const grown = process.memoryUsage().arrayBuffers - before;
  splitter.end();
  assert.deepEqual(reported, [3200 * 64 * 1024]);
  assert.ok(grown < 8 * 1024 * 1024, `200 MiB of one line grew memory by ${grown} bytes`);
});
