import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { cell, usageCsv } from "../../src/cli/usage/csv.ts";
import { costText, dollars, usageNotes, usageTable } from "../../src/cli/usage/text.ts";
import type { UsageAnswer, UsageSum } from "../../src/client/index.ts";
import { Home } from "./support.ts";

const sum = (turns: number, input: number, cost: Partial<UsageSum["cost"]>): UsageSum => ({
  turns,
  untoldTurns: 0,
  tokens: { input, cacheRead: 0, cacheWrite: 0, output: 7, reasoning: 0 },
  cost: { usd: 0, source: "agent", unknownTurns: 0, ...cost },
});

const answer: UsageAnswer = {
  by: "session",
  tz: "UTC",
  rows: [
    { key: "ses_a", label: '=HYPERLINK("x")', ...sum(3, 1_234_567, { usd: 12.5, source: "mixed", unknownTurns: 1 }) },
    { key: "ses_b", deleted: true, ...sum(1, 1, { usd: null, source: "unknown", unknownTurns: 1 }) },
  ],
  more: 4,
  total: sum(9, 1_234_568, { usd: 12.5, source: "mixed", unknownTurns: 2 }),
  prices: { date: "2026-01-31" },
};

describe("the table", () => {
  test("has numbers that end below each other, and says unknown where nobody knows", () => {
    assert.deepEqual(usageTable(answer).split("\n"), [
      "SESSION  TURNS      INPUT  CACHE READ  CACHE WRITE  OUTPUT      COST  TITLE",
      'ses_a        3  1,234,567           0            0       7  ~$12.50+  =HYPERLINK("x")',
      "ses_b        1          1           0            0       7   unknown  (deleted)",
      "total        9  1,234,568           0            0       7  ~$12.50+",
      "",
    ]);
  });

  test("is explained where it needs to be", () => {
    const notes = usageNotes(answer).join("\n");
    assert.match(notes, /prices of 2026-01-31.*\n2 of 9 turns have a cost that nobody knows.*\n4 more rows/);
    assert.deepEqual(usageNotes({ ...answer, rows: [], more: 0, total: sum(1, 1, { usd: 1 }) }), []);
  });

  test("shows small sums with more digits, and nothing as nothing", () => {
    assert.deepEqual([0, 0.00004, 0.5, 1, 1234.567].map(dollars), [
      "$0.00",
      "<$0.0001",
      "$0.5000",
      "$1.00",
      "$1,234.57",
    ]);
    assert.equal(costText({ usd: 0, source: "table", unknownTurns: 0 }), "~$0.00");
  });
});

describe("comma-separated values", () => {
  test("are no formulas to a spreadsheet, whatever a title says", () => {
    for (const text of ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1"]) assert.equal(cell(text), `"'${text}"`);
    assert.equal(cell('a "b", c'), '"a ""b"", c"');
  });

  test("have an empty cost where nobody knows it", () => {
    const [head, first, second] = usageCsv(answer).split("\r\n");
    assert.match(head ?? "", /^session,title,turns,/);
    assert.equal(first, '"ses_a","\'=HYPERLINK(""x"")",3,0,1234567,0,0,7,0,12.5,mixed,1');
    assert.equal(second, '"ses_b","",1,0,1,0,0,7,0,,unknown,1');
  });
});

for (const live of [true, false]) {
  test(`usage is shown ${live ? "through the server" : "without a server"}, also of a session that is gone`, async () => {
    await using home = new Home();
    const prices = join(home.root, "prices.json");
    if (live) await home.serve();
    const none = await home.run(["usage"]);
    assert.deepEqual([none.code, none.stdout], [0, ""]);
    assert.match(none.stderr, /no turn has ended yet/);
    const { stdout } = await home.run(["run", "--format", "json", "hello"]);
    const { session } = JSON.parse(stdout);
    assert.match((await home.run(["usage"])).stdout, /^DAY +TURNS +INPUT.*\n\d{4}-\d\d-\d\d +1 .*\ntotal +1 /);
    await home.run(["sessions", "rm", session]);
    const shown: UsageAnswer = JSON.parse((await home.run(["usage", "--by", "session", "--json"])).stdout);
    assert.deepEqual(
      shown.rows.map(({ key, turns, deleted }) => [key, turns, deleted]),
      [[session, 1, true]],
    );
    assert.match((await home.run(["usage", "--by", "agent", "--csv"])).stdout, /^agent,title,.*\r\n"scripted","",1,/);
    assert.match((await home.run(["usage", "--to", "2001-01-01"])).stderr, /no turn that ended fits/);
    writeFileSync(prices, "{}");
    const refused = await home.run(["usage"], { env: { PARLEY_PRICES: prices } });
    assert.equal(refused.code === 0, live, "a running server has read its own");
  });
}

test("days, zones and limits that mean nothing are refused", async () => {
  await using home = new Home();
  for (const args of [
    ["--from", "yesterday"],
    ["--tz", "Mars/Olympus"],
    ["--limit", "0"],
    ["--by", "week"],
    ["--json", "--csv"],
  ])
    assert.equal((await home.run(["usage", ...args])).code, 2, args.join(" "));
});
