import assert from "node:assert/strict";
import { test } from "node:test";
import { safeLine, safeLines, safeText } from "../../../src/cli/output/safe-text.ts";
import { age, bytes, table } from "../../../src/cli/output/table.ts";
import { painter } from "../../../src/cli/output/terminal.ts";
import { widthOf } from "../../../src/cli/output/width.ts";

const dangerous: [what: string, text: string, shown: string][] = [
  ["colours and cursor moves", "a\u001b[2Jb", "a\\u001b[2Jb"],
  ["a carriage return that would write over the line", "rm -rf /\rls", "rm -rf /\\u000dls"],
  ["a C1 control", "a\u009b31mb", "a\\u009b31mb"],
  ["text turned around", "a\u202eb", "a\\u202eb"],
  ["text set apart", "\u2066x\u2069", "\\u2066x\\u2069"],
  ["a bell", "\u0007", "\\u0007"],
  ["plain text, accents and line ends", "é\tü\r\nz\n", "é\tü\nz\n"],
];

for (const [what, text, shown] of dangerous) {
  test(`for a terminal: ${what}`, () => assert.equal(safeText(text), shown));
}

test("one line stays one line and has an end", () => {
  assert.equal(safeLine("  a\n b\t\tc "), "a b c");
  assert.equal(safeLine("abcdef", 4), "abc…");
});

test("several lines stay apart, set in after the first, and have an end", () => {
  assert.equal(safeLines("a  b\n\nc\u001b\n", 50), "a  b\n  c\\u001b");
  assert.equal(safeLines("a\nbcdef", 6), "a\n  b…");
});

test("ages have one unit", () => {
  const now = 1_000_000_000_000;
  const ago = (seconds: number): string => age(now - seconds * 1000, now);
  assert.deepEqual([-5, 0, 59, 60, 3_599, 3_600, 86_399, 86_400, 900_000].map(ago), [
    ...["0s", "0s", "59s", "1m", "59m", "1h", "23h", "1d", "10d"],
  ]);
});

test("sizes are round", () => {
  assert.deepEqual([0, 999, 1_500, 10_400, 2.5e9].map(bytes), ["0 B", "999 B", "1.5 kB", "10 kB", "2.5 GB"]);
});

test("columns are as wide as their widest cell", () => {
  assert.equal(
    table(
      ["A", "B"],
      [
        ["long", "x"],
        ["", "yy"],
      ],
    ),
    "A     B\nlong  x\n      yy\n",
  );
});

const widths: [text: string, cells: number][] = [
  ["", 0],
  ["abc", 3],
  ["é", 1],
  ["e\u0301", 1],
  ["日本", 4],
  ["한국", 4],
  ["ｆ", 2],
  ["👍", 2],
  ["👨‍👩‍👧", 2],
  ["🇫🇷", 2],
  ["❤️", 2],
  ["—…→✓", 4],
  ["a\u200bb", 2],
];

for (const [text, cells] of widths) test(`"${text}" takes ${cells} cells`, () => assert.equal(widthOf(text), cells));

test("a table fits a terminal: the widest columns that may be cut are, at their end or their beginning", () => {
  const columns = ["ID", { name: "DIRECTORY", cut: "start" }, { name: "TITLE", cut: "end" }] as const;
  const rows = [
    ["ses_1", "/home/me/work/a-long-name/site", "日本語のとても長い題名です"],
    ["ses_2", "/tmp", "short"],
  ];
  assert.equal(
    table(columns, rows, 40),
    "ID     DIRECTORY        TITLE\nses_1  …long-name/site  日本語のとても…\nses_2  /tmp             short\n",
  );
  assert.match(table(columns, rows, Number.POSITIVE_INFINITY), /site {2}日本語のとても長い題名です\n/);
});

test("a terminal that is too narrow for the columns gets a block for each row", () => {
  const columns = ["ID", { name: "DIRECTORY", cut: "start" }, { name: "TITLE", cut: "end" }] as const;
  const rows = [
    ["ses_1", "/home/me/work/site", "A title that is long"],
    ["ses_2", "", "short"],
  ];
  assert.equal(
    table(columns, rows, 24),
    "ses_1\n  DIRECTORY  …/work/site\n  TITLE      A title th…\nses_2\n  DIRECTORY\n  TITLE      short\n",
  );
  assert.match(table(columns, rows, 1), /^ses_1\n {2}DIRECTORY {2}…\n/, "nothing is too narrow");
});

test("the name of a column is cut at its end, wherever its texts are", () => {
  const columns = [{ name: "DIRECTORY", cut: "start" }, "ID"] as const;
  assert.equal(table(columns, [["/home/me/work", "ses_1"]], 15), "DIRECTO…  ID\n…me/work  ses_1\n");
});

test("colours are for terminals whose owner wants them", () => {
  const terminal = { isTTY: true, write: () => {} };
  assert.equal(painter(terminal, {})("red", "x"), "\u001b[31mx\u001b[0m");
  assert.equal(painter(terminal, { NO_COLOR: "1" })("red", "x"), "x");
  assert.equal(painter(terminal, { TERM: "dumb" })("red", "x"), "x");
  assert.equal(painter({ write: () => {} }, {})("red", "x"), "x");
});
