import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { match, snippetOf } from "../../../src/core/search/match.ts";
import { readQuery } from "../../../src/core/search/query.ts";
import { termsOf } from "../../../src/core/search/words.ts";

const TABLE: readonly [text: string, found: readonly string[], not: readonly string[]][] = [
  [
    "The quick brown fox",
    ["QUICK", "fo", "fox the ", '"brown fox"', "fox -dog"],
    ["fo ", "ox", '"fox brown"', "fox -the"],
  ],
  ["see src/log/contract.ts:12", ["src/log/contract.ts", "contract.ts", "contract", "log/con", "ts:12"], ["log/ts"]],
  ["call getUserName()", ["getUserName", "getusername", "username", "user ", "name ", "getu"], ["getname", "ser"]],
  ["HTTPServer2 and userID", ["server2", "http ", "id ", "httpserver2"], ["https "]],
  ["foo_bar-baz", ["foo_bar", "foo", '"bar baz"', "foo-bar"], ["foobar"]],
  ["ses_1e1dAbCd0", ["ses_1e1dAbCd0", "ses_1e1d", "1e1dabcd0"], ["ses_bcd"]],
  ["naïve Ångström ΟΔΟΣ", ["naive", "angstrom", "οδος", "οδοσ"], []],
  ["日本語を検索する", ["検索", "日本語", '"語を検"'], ["索検"]],
  ["done 🎉", ["🎉", "done 🎉"], ["🎊"]],
];

describe("a text fits a query", () => {
  for (const [text, found, not] of TABLE) {
    test(text, () => {
      for (const query of found) assert.ok(match(readQuery(query), text), `found by ${query}`);
      for (const query of not) assert.equal(match(readQuery(query), text), undefined, `not found by ${query}`);
    });
  }

  test("a query without a word that must be there fits nothing", () => {
    assert.equal(match(readQuery("-fox"), "dog"), undefined);
  });

  const texts = fc.oneof(fc.string({ unit: "grapheme" }), fc.lorem({ mode: "sentences" }));

  test("each term of a text finds it, and so an index by terms leaves nothing out", () => {
    fc.assert(
      fc.property(texts, texts, (text, query) => {
        const terms = termsOf(text);
        for (const term of terms) assert.ok(match({ all: [{ words: [term], open: false }], none: [] }, text), term);
        const sought = readQuery(query);
        if (!match(sought, text)) return;
        for (const { words, open } of sought.all)
          for (const [at, word] of words.entries()) {
            const goesOn = open && at === words.length - 1;
            assert.ok(goesOn ? [...terms].some((term) => term.startsWith(word)) : terms.has(word), word);
          }
      }),
    );
  });

  test("its snippet is one line, has the hit, and is part of the text", () => {
    fc.assert(
      fc.property(texts, fc.lorem({ maxCount: 1 }), texts, (before, word, after) => {
        const text = `${before} ${word} ${after}`;
        const hits = match(readQuery(`"${word}"`), text);
        assert.ok(hits);
        const snippet = snippetOf(text, hits);
        assert.ok(snippet.some(({ hit }) => hit));
        const whole = snippet.map((piece) => piece.text).join("");
        assert.ok(whole.length <= 250 && !/[\n\r\t]/.test(whole) && whole.isWellFormed());
        const flat = text.replace(/\s+/g, " ").toWellFormed();
        for (const piece of snippet)
          assert.ok(flat.includes(piece.text.replaceAll("…", "").trim()) || text.includes("…"));
      }),
    );
  });

  test("a snippet is cut around the first hit", () => {
    const text = `${"x ".repeat(200)}needle${" y".repeat(200)}`;
    const snippet = snippetOf(text, match(readQuery("needle"), text) ?? []);
    assert.deepEqual(
      snippet.map(({ hit }) => hit),
      [false, true, false],
    );
    assert.ok(snippet[0]?.text.startsWith("…") && snippet[2]?.text.endsWith("…"));
  });
});
