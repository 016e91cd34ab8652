import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { proseLine } from "../../src/core/one-line.ts";
import { titleFrom } from "../../src/core/session-title.ts";

const ROWS: [name: string, prompt: string, title: string | undefined][] = [
  ["a short prompt is its title", "Fix the login page", "Fix the login page"],
  ["the first line", "Fix the login page\nIt fails with 500.", "Fix the login page"],
  ["the first line with words", "\n\n---\n  Fix it\n", "Fix it"],
  ["the first sentence", "Fix the login page. Then run the tests.", "Fix the login page"],
  ["a question keeps its mark", "Why does the test fail? It worked before.", "Why does the test fail?"],
  ["an abbreviation ends no sentence", "Use e.g. Redis or Dr. Who for it", "Use e.g. Redis or Dr. Who for it"],
  ["a version ends no sentence", "Move to Node 24.1 and Go 1.22", "Move to Node 24.1 and Go 1.22"],
  ["a heading without its sign", "## Make it fast\ntext", "Make it fast"],
  ["a quote, a list", "> - 1. Make it fast", "Make it fast"],
  ["signs of Markdown around words", "Rename `foo_bar` to **baz**", "Rename foo_bar to baz"],
  ["stars in patterns stay", "Delete *.log and a_b_c", "Delete *.log and a_b_c"],
  ["words after code", "```ts\nconst a = 1;\n```\nExplain this", "Explain this"],
  ["nothing but code", "```\nnpm test\n```", "npm test"],
  ["code that never ends", "~~~sh\nls -l\nmore", "ls -l"],
  [
    "whole words of a long line",
    "Please look through all of the files in the repository and tell me what they do",
    "Please look through all of the files in the repository…",
  ],
  ["one word that is too long", "x".repeat(80), `${"x".repeat(55)}…`],
  ["no comma before the cut", `${"word ".repeat(10)}and, so it goes on`, `${"word ".repeat(10)}and…`],
  ["control characters", "Fix\u0000 the\u001b[31m page\tnow", "Fix the [31m page now"],
  ["characters that turn the text around", "Fix \u202eegap\u202c", "Fix egap"],
  ["another script", "修复登录页面", "修复登录页面"],
  ["characters outside of the plane", "🦜".repeat(60), `${"🦜".repeat(55)}…`],
  ["signs alone", "???", "???"],
  ["signs of Markdown alone", "**", "**"],
  ["nothing", " \n\t\u0000", undefined],
];

for (const [name, prompt, title] of ROWS)
  test(`a session's title: ${name}`, () => {
    assert.equal(titleFrom(prompt), title);
  });

test("any prompt's title is one short line without control characters, and only nothing has none", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (prompt) => {
      const title = titleFrom(prompt);
      assert.equal(title === undefined, proseLine(prompt) === "");
      if (title === undefined) return;
      assert.ok(title !== "" && [...title].length <= 56, title);
      assert.equal(proseLine(title), title);
    }),
  );
});
