import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Figure } from "../../bench/harness/figure.ts";
import { measurements } from "../../bench/measurements.ts";
import { markedIn } from "../../bench/page/marks.ts";
import { metLine, missLines } from "../../bench/page/misses.ts";
import { type Run, renew } from "../../bench/page/renew.ts";

const KNOWN = ["start", "memory", "latency"];

function figure(work: string, value: number, more: Partial<Figure> = {}): Figure {
  return { work, value, unit: "ms", anchor: { name: "node -e 0", value: 40 }, ...more };
}

const MET = figure("start", 120, { goal: { text: "at most 4x", met: true } });
const MISSED = figure("latency, p99", 240, { goal: { text: "at most 4x", met: false } });
const SHOWN = figure("memory", 60);

function run(figures: Record<string, Figure[]>, more: Partial<Run> = {}): Run {
  const load = { before: 0.25, after: 1.5 };
  const machine = "2 cores (some model), 16 GB, Node v24.1.0, linux";
  return { date: "2026-01-31", machine, cores: 2, load, figures: new Map(Object.entries(figures)), ...more };
}

const PAGE = `# Figures

Words before. <!-- bench: start --> inside of a line is no mark.

<!-- bench: start memory -->
old words

| old |
<!-- /bench -->

Words between.
<!-- bench: latency -->
<!-- /bench -->
Words after.
`;
const HEAD = "| work | anchor | result | ratio | goal |  |\n|---|---|---|---|---|---|";
const ABOUT = "Measured on 2026-01-31: 2 cores (some model), 16 GB, Node v24.1.0, linux; load before 0.25, after 1.50.";
const [FIRST, SECOND] = ["old words\n\n| old |\n", "<!-- bench: latency -->\n"];

describe("a run renews the tables of its measurements", () => {
  const start = "| start | node -e 0: 40.0 ms | 120 ms | 3.00x | at most 4x | met |";
  const memory = "| memory | node -e 0: 40.0 ms | 60.0 ms | 1.50x |  |  |";
  const latency = "| latency, p99 | node -e 0: 40.0 ms | 240 ms | 6.00x | at most 4x | **MISSED** |";
  const first = PAGE.replace(FIRST, `${ABOUT}\n\n${HEAD}\n${start}\n${memory}\n`);
  const second = (page: string): string => page.replace(SECOND, `${SECOND}${ABOUT}\n\n${HEAD}\n${latency}\n`);
  const rows: [what: string, run: Run, document: string, written: string[], left: string[]][] = [
    ["all", run({ start: [MET], memory: [SHOWN], latency: [MISSED] }), second(first), KNOWN, []],
    ["one table", run({ latency: [MISSED] }), second(PAGE), ["latency"], []],
    ["two measurements of one table", run({ memory: [SHOWN], start: [MET] }), first, ["start", "memory"], []],
    ["a part of a table", run({ start: [MET] }), PAGE, [], ["memory"]],
    ["a part, and a whole table", run({ start: [MET], latency: [MISSED] }), second(PAGE), ["latency"], ["memory"]],
    ["nothing of the page", run({ history: [MET] }), PAGE, [], []],
    ["a run that lost events", run({ latency: [{ ...MET, faults: ["3 lost"] }] }), PAGE, [], []],
    ["a run that lost events elsewhere", run({ latency: [MET], nodes: [{ ...MET, faults: ["1"] }] }), PAGE, [], []],
  ];
  for (const [what, made, document, written, left] of rows) {
    test(what, () => {
      const renewed = renew(PAGE, made, KNOWN);
      assert.equal(renewed.document, document);
      assert.deepEqual(renewed.written, written);
      assert.deepEqual(
        renewed.left.flatMap(({ missing }) => missing),
        left,
      );
    });
  }

  test("again and again: the second run replaces the first", () => {
    const once = renew(PAGE, run({ latency: [MET] }), KNOWN).document;
    assert.equal(renew(once, run({ latency: [MISSED] }), KNOWN).document, second(PAGE));
  });
});

test("a run on a machine with other work says so beside its table", () => {
  const about = (before: number, cores: number): string =>
    renew(PAGE, run({ latency: [MET] }, { cores, load: { before, after: 9 } }), KNOWN)
      .document.split("\n")
      .find((line) => line.startsWith("Measured")) ?? "";
  assert.match(about(1.1, 2), /load before 1\.10, after 9\.00\. \*\*The machine was busy with other work before/);
  assert.doesNotMatch(about(1.1, 4), /busy/);
});

test("a bar in a cell does not end the cell", () => {
  const odd = figure("a|b", 1);
  assert.match(renew(PAGE, run({ latency: [odd] }), KNOWN).document, /^\| a\\\|b \| node/m);
});

describe("a document whose marks do not fit is refused, with the line", () => {
  for (const [document, wrong] of [
    ["<!-- bench: start -->\n", /^line 1: expected <!-- \/bench --> after it, got none$/],
    ["x\n<!-- /bench -->\n", /^line 2: <!-- \/bench --> ends no table$/],
    ["<!-- bench: start -->\n<!-- bench: memory -->\n<!-- /bench -->\n", /^line 2: .* the one of line 1 is open$/],
    ["<!-- bench: strat -->\n<!-- /bench -->\n", /^line 1: there is no measurement strat$/],
    ["<!-- bench: start -->\n<!-- /bench -->\n<!-- bench: memory start -->\n<!-- /bench -->\n", /^line 3: start has a/],
  ] as const) {
    test(JSON.stringify(document), () => {
      assert.throws(() => renew(document, run({ start: [MET] }), KNOWN), { message: wrong });
    });
  }
});

test("each measurement has its place in one table of the pages", () => {
  const known = measurements.map(({ name }) => name);
  const tabled = ["performance.md", "many-machines.md"].flatMap((page) => {
    const text = readFileSync(fileURLToPath(new URL(`../../docs/${page}`, import.meta.url)), "utf8");
    return markedIn(text, known).flatMap(({ names }) => names);
  });
  assert.deepEqual(tabled.toSorted(), known.toSorted());
});

test("missed goals are told in a line each, with the load", () => {
  const figures = [MET, MISSED, SHOWN, { ...MET, faults: ["3 lost"] }];
  assert.deepEqual(missLines(figures, 2.13), [
    "latency, p99 240 ms, 6.00x of node -e 0, goal at most 4x: MISSED (load 2.1)",
    "start 120 ms, 3.00x of node -e 0, goal at most 4x: FAILED: 3 lost (load 2.1)",
  ]);
  assert.equal(metLine(figures, 2.13), "1 of 3 goals met (load 2.1)");
});
