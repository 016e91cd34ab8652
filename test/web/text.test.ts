import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseAnsi } from "../../web/model/ansi.ts";
import { clip } from "../../web/model/clip.ts";
import { changedPairs, diffLines, isBulky } from "../../web/model/diff/lines.ts";
import { type Blocks, goesOn, NO_BLOCKS, readBlocks, readGrowing } from "../../web/model/markdown/blocks.ts";
import { decodeEntities } from "../../web/model/markdown/entities.ts";
import { safeHref } from "../../web/model/markdown/links.ts";

const SAMPLE = `# Title

A *paragraph* with \`code\` and [a link](https://example.com).
Its second line.

- one
- two

  with more

1. first
2. second

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> a quote
> goes on

Setext
======

<div>html</div>

last`;

/** The blocks of a text that grew by pieces. */
function grown(text: string, sizes: readonly number[]): Blocks {
  let now = NO_BLOCKS;
  let at = 0;
  for (let step = 0; at < text.length; step++) {
    at += sizes[step % sizes.length] ?? 1;
    now = readGrowing(now, text.slice(0, at));
  }
  return now;
}

const LONG_PARAGRAPH = `Words that go on, **bold ones** and \`code of some words\`, [a link](https://example.com/a) 1. and - so on. `;

test("a long paragraph that grows is parted between words, and nothing of it is torn or lost", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 40, max: 400 }), { minLength: 1 }), (sizes) => {
      const text = LONG_PARAGRAPH.repeat(80).trimEnd();
      const { tokens } = grown(text, sizes);
      assert.equal(tokens.map(({ raw }) => raw).join(""), text);
      assert.deepEqual([...new Set(tokens.map(({ type }) => type))], ["paragraph"]);
      assert.deepEqual([...new Set(tokens.map(goesOn))], [true, false]);
      const inner = tokens.flatMap((token) => ("tokens" in token ? (token.tokens ?? []) : []));
      for (const kind of ["strong", "codespan", "link"])
        assert.equal(inner.filter(({ type }) => type === kind).length, 80, kind);
      for (const { raw } of tokens) assert.ok(raw.length <= 2_000, `a part of ${raw.length}`);
    }),
    { numRuns: 10 },
  );
});

for (const [name, before, piece] of [
  ["with code that never ends", "`", "words "],
  ["without a blank", "", "𝄞"],
  ["of open brackets", "", "[ "],
] as const)
  test(`a paragraph ${name} is parted, too, and whole characters stay whole`, () => {
    const text = `a ${before}${piece.repeat(9_000)}`.trimEnd();
    const { tokens } = grown(text, [700]);
    assert.equal(tokens.map(({ raw }) => raw).join(""), text);
    for (const { raw } of tokens) {
      assert.ok(raw.length <= 7_000, `a part of ${raw.length}`);
      assert.ok(raw.isWellFormed());
    }
  });

test("a text that grows becomes the same blocks as the whole text", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sizes) => {
      const now = grown(SAMPLE, sizes);
      assert.deepEqual(
        now.tokens.map(({ type, raw }) => ({ type, raw })),
        readBlocks(SAMPLE).tokens.map(({ type, raw }) => ({ type, raw })),
      );
    }),
  );
});

test("blocks that are over stay the same objects while a text grows", () => {
  const before = readGrowing(NO_BLOCKS, "# One\n\ntwo\n\nthr");
  const after = readGrowing(before, "# One\n\ntwo\n\nthree and more");
  assert.ok(after.tokens.slice(0, -1).every((token, at) => token === before.tokens[at]));
  assert.equal(readGrowing(after, after.text), after);
});

test("only links that a browser cannot run are followed", () => {
  const good = ["https://example.com/", "http://a.b/c?d#e", "mailto:a@b.c"];
  for (const href of good) assert.equal(safeHref(href), href);
  const bad = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "blob:https://a/b",
    "file:///etc/passwd",
    "//evil.example",
    "relative/path",
    "",
  ];
  for (const href of bad) assert.equal(safeHref(href), undefined, href);
});

test("entities become characters, and never markup", () => {
  assert.equal(
    decodeEntities("a &lt;b&gt; &amp;amp; &#65;&#x42; &nope; &#0; &#xD800;"),
    "a <b> &amp; AB &nope; &#0; &#xD800;",
  );
});

test("colours of a terminal become names, other sequences go", () => {
  const cases: [string, [string, string][]][] = [
    ["plain", [["plain", ""]]],
    [
      "\u001b[31mred\u001b[0m.",
      [
        ["red", "ansi-red"],
        [".", ""],
      ],
    ],
    [
      "\u001b[1;32mok\u001b[22m no\u001b[39m",
      [
        ["ok", "ansi-green ansi-bold"],
        [" no", "ansi-green"],
      ],
    ],
    [
      "\u001b[38;5;196mx\u001b[48;2;0;0;255my",
      [
        ["x", "ansi-red"],
        ["y", "ansi-red ansi-on-blue"],
      ],
    ],
    [
      "\u001b[2K\u001b[1Aa\u001b]0;title\u0007b\u001b]8;;http://x\u001b\\c",
      [
        ["a", ""],
        ["b", ""],
        ["c", ""],
      ],
    ],
    ["10%\r20%\r30%\ndone\r\n", [["30%\ndone\n", ""]]],
    [
      "a\u0000b\u0007\u001b",
      [
        ["a", ""],
        ["b", ""],
      ],
    ],
  ];
  for (const [text, expected] of cases)
    assert.deepEqual(
      parseAnsi(text).map(({ text: piece, look }) => [piece, look.join(" ")]),
      expected,
      JSON.stringify(text),
    );
});

test("no output of a program makes anything but text and known names", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(fc.constantFrom("\u001b[", "\u001b]", "31", ";", "m", "\u0007", "<b>", "\r", "\n"), fc.string()),
      ),
      (pieces) => {
        for (const { text, look } of parseAnsi(pieces.join(""))) {
          assert.ok(!text.includes("\u001b"));
          for (const name of look) assert.match(name, /^ansi-[a-z-]+$/);
        }
      },
    ),
  );
});

test("long output keeps its beginning and its end", () => {
  const lines = Array.from({ length: 500 }, (_, at) => `line ${at}`);
  const { head, left, tail = "" } = clip(lines.join("\n"));
  assert.ok(head.startsWith("line 0\n") && tail.endsWith("line 499"));
  assert.equal(head.split("\n").length + (left ?? 0) + tail.split("\n").length, 500);
  assert.deepEqual(clip("short\n"), { head: "short\n" });
  const wide = clip("x".repeat(100_000));
  assert.ok(wide.head.length + (wide.tail?.length ?? 0) <= 24_000);
});

test("lines of a diff have their numbers in both files", () => {
  const diff =
    "--- a/x\n+++ b/x\n@@ -2,3 +2,4 @@ f()\n a\n-b\n+c\n+d\n e\n@@ -20,1 +21,0 @@\n-z\n\\ No newline at end of file\n";
  const hunks = diffLines(diff);
  assert.deepEqual(
    hunks.map(({ head, skipped }) => [head, skipped]),
    [
      ["f()", 1],
      ["", 15],
    ],
  );
  assert.deepEqual(
    hunks.flatMap(({ lines }) => lines.map((line) => [line.kind, line.old, line.new, line.text])),
    [
      ["same", 2, 2, "a"],
      ["removed", 3, undefined, "b"],
      ["added", undefined, 3, "c"],
      ["added", undefined, 4, "d"],
      ["same", 4, 5, "e"],
      ["removed", 20, undefined, "z"],
    ],
  );
  assert.deepEqual(diffLines("no diff at all"), []);
});

test("lines that stand for each other are found where as many came as went", () => {
  const [hunk] = diffLines("@@ -1,3 +1,3 @@\n-a\n-b\n+c\n+d\n e\n-f\n");
  assert.deepEqual(changedPairs(hunk?.lines ?? []), [
    [0, 2],
    [1, 3],
  ]);
});

test("lock files and long diffs are shown on demand", () => {
  const long = `@@ -0,0 +1,500 @@\n${"+x\n".repeat(500)}`;
  assert.equal(isBulky("a.ts", diffLines(long)), true);
  assert.equal(isBulky("a.ts", diffLines("@@ -1,1 +1,1 @@\n-a\n+b\n")), false);
  for (const path of ["package-lock.json", "sub/yarn.lock", "Cargo.lock", "go.sum"])
    assert.equal(isBulky(path, []), true);
});
