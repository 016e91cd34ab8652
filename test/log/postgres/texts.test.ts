import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fromBytes, toArray, toBytes, toColumn } from "../../../src/log/postgres/texts.ts";

/** Any text of JavaScript: NUL, lone surrogates and all. */
const unit = fc.oneof(
  fc.constantFrom("\0", "\u0001", "\ud800", "\udfff", '"', "\\", "{", "a"),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
);
const text = fc.string({ unit, maxLength: 12 });

test("an agent's line comes back as it was, whatever is in it", () => {
  fc.assert(fc.property(text, (line) => assert.equal(fromBytes(toBytes(line)), line)));
  assert.deepEqual(toBytes("é\0"), Buffer.from("é\0"), "as UTF-8 where it can be");
});

test("a text becomes one that a column can hold, and two texts never the same one", () => {
  const long = fc.tuple(text, fc.integer({ min: 0, max: 600 })).map(([head, more]) => head + "x".repeat(more));
  fc.assert(
    fc.property(long, long, (one, other) => {
      const column = toColumn(one);
      assert.ok(column.isWellFormed() && !column.includes("\0") && column.length < 5000);
      assert.equal(toColumn(other) === column, one === other);
    }),
  );
  assert.equal(toColumn("ses_1"), "ses_1");
  assert.ok(toColumn("x".repeat(100_000)).length < 100, "an index takes it");
});

for (const [list, expected] of [
  [[], "{}"],
  [[1, null, 3], "{1,NULL,3}"],
  [["a", 'say "hi"', "back\\slash", "NULL", ""], '{"a","say \\"hi\\"","back\\\\slash","NULL",""}'],
  [[true, false], "{true,false}"],
] as const) {
  test(`the list ${JSON.stringify(list)} is ${expected}`, () => assert.equal(toArray(list), expected));
}
