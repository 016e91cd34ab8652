import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isDeeper } from "../../../src/core/json/depth.ts";
import {
  createLineShortener,
  SHORTEN_LIMITS,
  type Shortened,
  type ShortenLimits,
} from "../../../src/host/lines/line-shortener.ts";

const SMALL: ShortenLimits = { total: 1_000, text: 100, whole: 300, values: 40, depth: 5 };

function shorten(line: string, limits: Partial<ShortenLimits> = {}, chunk = 1_000_000): Shortened | undefined {
  const bytes = Buffer.from(line);
  const shortener = createLineShortener({ ...SHORTEN_LIMITS, ...limits });
  for (let at = 0; at < bytes.length; at += chunk) shortener.push(bytes.subarray(at, at + chunk));
  return shortener.end();
}

const read = (line: string, limits: Partial<ShortenLimits> = SMALL): unknown =>
  JSON.parse(shorten(line, limits)?.text ?? "");

test("any JSON within the limits is kept as it is, however it is chunked and spaced", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 6 }),
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      (value, chunk, spaced) => {
        const line = JSON.stringify(value, null, spaced ? "\t" : undefined).replaceAll("\n", " ");
        const shortened = shorten(line, {}, chunk);
        assert.deepEqual(JSON.parse(shortened?.text ?? ""), JSON.parse(line));
        assert.equal(shortened?.left, 0);
      },
    ),
    { numRuns: 600 },
  );
});

test("any JSON beyond the limits is JSON within the limits", () => {
  const long = fc.string({ unit: "binary", maxLength: 400 });
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 8, withCrossShrink: true },
      long,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie("any"), { maxLength: 12 }),
      fc.dictionary(fc.oneof(fc.constantFrom("data", "url", "text"), long), tie("any"), { maxKeys: 12 }),
    ),
  })).any;
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 50 }), (any, chunk) => {
      const line = JSON.stringify(any);
      const shortened = shorten(line, SMALL, chunk);
      assert.ok(shortened, line);
      const kept: unknown = JSON.parse(shortened.text);
      assert.ok(!isDeeper(kept, SMALL.depth));
      assert.ok(shortened.text.length < SMALL.total + SMALL.values * 260, `${shortened.text.length} characters`);
      if (shortened.left === 0) assert.deepEqual(kept, JSON.parse(line));
      assert.deepEqual(shortened, shorten(line, SMALL));
    }),
    { numRuns: 600 },
  );
});

test("bytes that are no JSON are never taken for some", () => {
  const piece = fc.constantFrom(...'{}[]",:\\ ut1-e'.split(""), "true", "nul", '"a"', "\\u12");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), (pieces, chunk) => {
      const line = pieces.join("");
      let value: unknown;
      let valid = true;
      try {
        value = JSON.parse(line);
      } catch {
        valid = false;
      }
      const shortened = shorten(line, {}, chunk);
      if (valid) assert.deepEqual(JSON.parse(shortened?.text ?? ""), value);
      else if (shortened) assert.throws(() => JSON.parse(shortened.text), line);
    }),
    { numRuns: 6_000 },
  );
});

test("a long text keeps its beginning and says how much is missing, with no character cut in two", () => {
  const line = JSON.stringify({ type: "text", delta: "é".repeat(1_000), item: "m1" });
  const { delta, ...rest } = read(line, { ...SMALL, text: 101 }) as { delta: string };
  assert.equal(delta, `${"é".repeat(50)}\n(… 1900 bytes left out …)`);
  assert.deepEqual(rest, { type: "text", item: "m1" });
  assert.equal(shorten(line, { ...SMALL, text: 101 })?.left, 1_900);
  assert.deepEqual(read(JSON.stringify(["\u0001".repeat(50)])), [`${"\u0001".repeat(16)}\n(… 204 bytes left out …)`]);
});

test("a picture is kept whole or left out", () => {
  const data = (bytes: number): string => JSON.stringify({ source: { data: "A".repeat(bytes) }, text: "after" });
  assert.deepEqual(read(data(300)), { source: { data: "A".repeat(300) }, text: "after" });
  assert.deepEqual(read(data(301)), { source: { data: "(… 301 bytes left out …)" }, text: "after" });
});

test("fields that come after a long list or a deep value are there", () => {
  const long = Array.from({ length: 1_000 }, (_, at) => at);
  const kept = read(JSON.stringify({ list: long, type: "user", uuid: "u" })) as { list: number[] };
  assert.deepEqual(kept, { list: long.slice(0, kept.list.length), type: "user", uuid: "u" });
  assert.ok(kept.list.length > 10 && kept.list.length < 40);
  const deep = `{"deep":${"[".repeat(100)}${"]".repeat(100)},"uuid":"u"}`;
  assert.deepEqual(read(deep), { deep: [[[["(… left out: nested too deep …)"]]]], uuid: "u" });
});

test("a line of many megabytes costs little at a time and little memory, whatever is in it", () => {
  const bytes = 12_000_000;
  const many = (piece: string): string => piece.repeat(bytes / piece.length);
  const lines: Record<string, string> = {
    text: `{"delta":"${many("x")}"}`,
    escapes: `{"delta":"${many('\\"\\n\\u00e9')}"}`,
    brackets: `{"input":${many("[")}`,
    members: `{"input":{${many('"a":1,')}"b":2},"type":"x"}`,
    objects: `{"input":[${many('{"a":{"b":"c"}},')}1],"type":"x"}`,
  };
  for (const [name, line] of Object.entries(lines)) {
    const input = Buffer.from(line);
    const shortener = createLineShortener();
    let worst = 0;
    for (let at = 0; at < input.length; at += 65_536) {
      const before = process.threadCpuUsage();
      shortener.push(input.subarray(at, at + 65_536));
      const { user, system } = process.threadCpuUsage(before);
      worst = Math.max(worst, user + system);
    }
    const text = shortener.end()?.text;
    assert.ok(worst < 50_000, `${name}: ${worst} µs for one chunk`);
    assert.ok(name === "brackets" ? text === undefined : (text?.length ?? 0) < 10_000_000, name);
  }
});
