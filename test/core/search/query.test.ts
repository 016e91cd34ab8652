import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { readQuery } from "../../../src/core/search/query.ts";

/** A part as text: `foo bar` for words in a row, `foo…` where the last one may go on. */
function shown(text: string): string {
  const { all, none } = readQuery(text);
  const part = ({ words, open }: (typeof all)[number]): string => words.join(" ") + (open ? "…" : "");
  return [...all.map(part), ...none.map((one) => `-${part(one)}`)].join(", ");
}

const TABLE: readonly [query: string, read: string][] = [
  ["", ""],
  ["   ", ""],
  ["fox", "fox…"],
  ["fox ", "fox"],
  ["a", "a"],
  ["quick fox", "quick, fox…"],
  ["Café ÉTÉ ", "cafe, ete"],
  ['"quick fox"', "quick fox"],
  ['"quick fo', "quick fo"],
  ['say "quick fox" now', "say, quick fox, now…"],
  ["fox -brown", "fox, -brown"],
  ['fox -"brown dog"', "fox, -brown dog"],
  ["-brown", "-brown"],
  ["fo* dog ", "fo…, dog"],
  ["*", ""],
  ['""', ""],
  ["- -- ---", ""],
  ["src/log/contract.ts", "src log contract ts…"],
  ["getUserName", "getusername…"],
  ["foo_bar(", "foo bar"],
  ["NEAR(a, b)", "near a, b"],
  ["a AND b OR NOT ", "a, and, b, or, not"],
  ["漢字", "漢 字"],
  ["🎉", "🎉"],
  ["\0", ""],
  ["\ud800", ""],
  ["⑴ ", "1"],
];

describe("a query", () => {
  for (const [query, read] of TABLE)
    test(`${JSON.stringify(query)} is read as ${JSON.stringify(read)}`, () => assert.equal(shown(query), read));

  test("is bounded: of ten thousand words the first few count", () => {
    const { all } = readQuery("word ".repeat(10_000));
    assert.ok(all.length <= 32);
    assert.ok(
      all.every(({ open }) => !open),
      "a query that was cut is not being typed there",
    );
  });

  test("may be any text, and its words are letters and digits in one form", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" })), (text) => {
        const { all, none } = readQuery(text);
        for (const { words, open } of [...all, ...none]) {
          assert.ok(words.length > 0);
          for (const word of words) assert.match(word, /^[\p{L}\p{N}\p{Extended_Pictographic}]{1,64}$/u);
          if (open) assert.ok((words.at(-1)?.length ?? 0) > 1);
        }
        assert.ok(none.every(({ open }) => !open));
      }),
    );
  });
});
