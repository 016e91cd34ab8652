import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonPieces } from "../../../src/core/json/json-pieces.ts";
import { bytesWithin, writingPieces } from "../../../src/core/json/written-pieces.ts";

const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom<unknown>(null, true, 0, -1.5, Number.NaN, undefined, "\ud83d", "\u{1f600}".repeat(9), '"\\\n'),
    fc.array(tie("any"), { maxLength: 8 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "7", "toString")), tie("any"), { maxKeys: 8 }),
  ),
})).any;

const defined = value.filter((one) => one !== undefined);

test("pieces of any size make the JSON that a whole value has", () => {
  fc.assert(
    fc.property(defined, fc.integer({ min: 16, max: 200 }), (one, size) => {
      assert.equal([...jsonPieces(one, size)].join(""), JSON.stringify(one));
    }),
    { numRuns: 2_000 },
  );
});

test("no piece is much longer than its size, whatever the value is made of", () => {
  const texts = Array.from({ length: 2_000 }, (_, at) => `${at} ${"x".repeat(100)}`);
  const nested = {
    list: texts,
    one: "y".repeat(100_000),
    deep: [[[[texts]]]],
    map: Object.fromEntries(texts.entries()),
  };
  const pieces = [...jsonPieces(nested, 10_000)];
  assert.equal(pieces.join(""), JSON.stringify(nested));
  assert.ok(Math.max(...pieces.map(({ length }) => length)) < 12_000);
});

function written(one: unknown, weight: number, size: number) {
  const steps = writingPieces(one, weight, size);
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return { ...step.value, count };
  }
}

test("the bytes are those of the text, however much room was expected, and stand between two texts", () => {
  fc.assert(
    fc.property(defined, fc.nat(300), fc.integer({ min: 16, max: 100 }), (one, weight, size) => {
      const pieces = written(one, weight, size);
      assert.equal(pieces.text, JSON.stringify(one));
      for (const before of ["", '{"seq":1,"data":', "é".repeat(3_000)])
        assert.equal(bytesWithin(before, pieces, "}").toString(), `${before}${Buffer.from(pieces.text)}}`);
    }),
    { numRuns: 500 },
  );
});

test("a long value takes a step for each piece", () => {
  const { count } = written({ text: "z".repeat(100_000) }, 100_000, 1_000);
  assert.ok(count >= 100, `${count} steps`);
});
