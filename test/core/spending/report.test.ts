import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { daysIn } from "../../../src/core/spending/days.ts";
import { DIMENSIONS, type Dimension, type Report, UsageReport } from "../../../src/core/spending/report.ts";
import type { Spent } from "../../../src/core/spending/spent.ts";

const HOUR = 3_600_000;
const prices = {
  date: "2026-01-31",
  models: new Map([
    ["priced", { input: 1, output: 10, cacheRead: 0.1 }],
    ["free", { input: 0, output: 0 }],
  ]),
};

const turn = (change: Partial<Spent>): Spent => ({
  session: "ses_a",
  seq: 1,
  root: "ses_a",
  time: 0,
  agent: "claude",
  directory: "/project",
  usage: {},
  ...change,
});

function told(
  by: Dimension,
  turns: readonly Spent[],
  options: { from?: string; to?: string; tz?: string; limit?: number } = {},
): Report {
  const { tz = "UTC", limit = 1_000, ...days } = options;
  const dayOf = daysIn(tz);
  assert.ok(dayOf);
  const report = new UsageReport({ by, prices, dayOf, ...days });
  for (const one of turns) report.add(one);
  return report.told(limit);
}

const costs = (turns: readonly Spent[]): Report["total"]["cost"] => told("agent", turns).total.cost;

const tokens = { input: 1_000_000, output: 100_000, cacheRead: 1_000_000 };

describe("the cost of turns", () => {
  test("is what the agent told, before any price", () => {
    assert.deepEqual(costs([turn({ model: "priced", usage: { tokens, cost: 0.5 } })]), {
      usd: 0.5,
      source: "agent",
      unknownTurns: 0,
    });
  });

  test("is computed where the agent told none, with what a cache held at its own price", () => {
    assert.deepEqual(costs([turn({ model: "priced", usage: { tokens } })]), {
      usd: 2.1,
      source: "table",
      unknownTurns: 0,
    });
  });

  test("of a model without a known price is unknown, not nothing", () => {
    assert.deepEqual(costs([turn({ model: "new", usage: { tokens } })]), {
      usd: null,
      source: "unknown",
      unknownTurns: 1,
    });
    assert.deepEqual(costs([turn({ usage: { tokens } })]), { usd: null, source: "unknown", unknownTurns: 1 });
    assert.deepEqual(costs([turn({ model: "priced", usage: {} })]), { usd: null, source: "unknown", unknownTurns: 1 });
  });

  test("of a model whose price is 0 is nothing, and known", () => {
    assert.deepEqual(costs([turn({ model: "free", usage: { tokens } })]), { usd: 0, source: "table", unknownTurns: 0 });
  });

  test("is mixed where parts of it come from elsewhere, or are unknown", () => {
    const agent = turn({ usage: { tokens, cost: 1 } });
    const table = turn({ model: "priced", usage: { tokens } });
    const unknown = turn({ usage: { tokens } });
    assert.deepEqual(costs([agent, table]), { usd: 3.1, source: "mixed", unknownTurns: 0 });
    assert.deepEqual(costs([agent, unknown]), { usd: 1, source: "mixed", unknownTurns: 1 });
    assert.deepEqual(costs([]), { usd: 0, source: "none", unknownTurns: 0 });
  });

  test("has the shares of several models, each by its own price", () => {
    const small = { input: 10, output: 1 };
    const all = { input: 20, output: 2 };
    const usage = { tokens: all, models: { priced: { tokens: small }, new: { tokens: small } } };
    const { rows, total } = told("model", [turn({ model: "other", usage })]);
    assert.deepEqual(
      rows.map(({ key, cost }) => [key, cost.source]),
      [
        ["priced", "table"],
        ["new", "unknown"],
      ],
    );
    assert.deepEqual([total.turns, total.cost.source, total.cost.unknownTurns], [1, "mixed", 1]);
  });

  test("is not told by model where the shares do not add up to the turn", () => {
    const usage = {
      tokens: { input: 20, output: 2 },
      cost: 1,
      models: { a: { tokens: { input: 1, output: 1 }, cost: 1 } },
    };
    assert.deepEqual(
      told("model", [turn({ model: "m", usage })]).rows.map(({ key, cost }) => [key, cost.usd]),
      [["m", 1]],
    );
    const uneven = {
      tokens: { input: 2, output: 2 },
      cost: 1,
      models: { a: { tokens: { input: 1, output: 1 } }, b: { tokens: { input: 1, output: 1 } } },
    };
    assert.deepEqual(
      told("model", [turn({ usage: uneven })]).rows.map(({ key, cost }) => [key, cost.usd]),
      [["unknown", 1]],
    );
  });
});

describe("the rows", () => {
  test("are the most expensive first, then those with most tokens, and say how many are left out", () => {
    const spend = (directory: string, input: number, cost?: number): Spent =>
      turn({ directory, usage: { tokens: { input, output: 0 }, ...(cost === undefined ? {} : { cost }) } });
    const turns = [spend("/a", 1, 1), spend("/b", 9), spend("/c", 5), spend("/d", 1, 2), spend("/e", 1, 0)];
    assert.deepEqual(
      told("directory", turns).rows.map(({ key }) => key),
      ["/d", "/a", "/e", "/b", "/c"],
    );
    const few = told("directory", turns, { limit: 2 });
    assert.deepEqual([few.rows.length, few.more, few.total.turns], [2, 3, 5]);
  });

  test("are days in their order, the newest ones", () => {
    const turns = [3, 1, 2].map((day) => turn({ time: day * 24 * HOUR }));
    assert.deepEqual(
      told("day", turns, { limit: 2 }).rows.map(({ key }) => key),
      ["1970-01-03", "1970-01-04"],
    );
  });

  test("have a sub-agent's turns with its root", () => {
    const turns = [turn({ usage: { tokens } }), turn({ session: "ses_b", root: "ses_a", usage: { tokens } })];
    assert.deepEqual(
      told("session", turns).rows.map(({ key, turns: count }) => [key, count]),
      [["ses_a", 2]],
    );
  });

  test("count a turn that told no tokens as such", () => {
    assert.equal(told("agent", [turn({}), turn({ usage: { tokens } })]).total.untoldTurns, 1);
  });
});

const count = fc.integer({ min: 0, max: 5_000_000 });
const tokenCounts = fc.record({ input: count, output: count, reasoning: count, cacheRead: count, cacheWrite: count });
const cost = fc.option(fc.double({ min: 0, max: 50, noNaN: true }), { nil: undefined });
const model = fc.option(fc.constantFrom("priced", "free", "new", "x/priced-20260101"), { nil: undefined });
const share = fc.record({ tokens: tokenCounts, cost });
const usage = fc.oneof(
  fc.record({ tokens: fc.option(tokenCounts, { nil: undefined }), cost }),
  fc.record({ tokens: tokenCounts, cost, models: fc.dictionary(fc.constantFrom("priced", "free", "new"), share) }),
  // Shares that add up.
  fc.tuple(tokenCounts, tokenCounts, cost).map(([a, b, dollars]) => {
    const sum = Object.fromEntries(Object.entries(a).map(([name, one]) => [name, one + b[name as keyof typeof b]]));
    const models = { priced: { tokens: a, cost: dollars }, new: { tokens: b } };
    return { tokens: sum as typeof a, cost: dollars, models };
  }),
);
const spending: fc.Arbitrary<Spent> = fc.record({
  session: fc.constantFrom("ses_a", "ses_b", "ses_c"),
  seq: fc.nat(),
  root: fc.constantFrom("ses_a", "ses_b"),
  time: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
  agent: fc.constantFrom("claude", "codex"),
  directory: fc.constantFrom("/a", "/b"),
  model,
  usage,
});

test("sums over days, directories, agents, models and sessions are the total, to the last billionth", () => {
  fc.assert(
    fc.property(
      fc.array(spending, { maxLength: 40 }),
      fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu"),
      (turns, tz) => {
        const totals = DIMENSIONS.map((by) => told(by, turns, { tz }));
        for (const [at, { rows, total }] of totals.entries()) {
          assert.deepEqual(total, totals[0]?.total);
          const sum = (of: (row: (typeof rows)[number]) => number): number =>
            rows.reduce((all, row) => all + of(row), 0);
          for (const name of ["input", "output", "reasoning", "cacheRead", "cacheWrite"] as const)
            assert.equal(
              sum((row) => row.tokens[name]),
              total.tokens[name],
            );
          assert.equal(
            sum((row) => Math.round((row.cost.usd ?? 0) * 1e9)),
            Math.round((total.cost.usd ?? 0) * 1e9),
          );
          // A turn that asked several models is in the row of each.
          if (DIMENSIONS[at] === "model") assert.ok(sum((row) => row.turns) >= total.turns);
          else
            assert.equal(
              sum((row) => row.turns),
              total.turns,
            );
          assert.equal(total.cost.usd === null, total.turns > 0 && rows.every((row) => row.cost.usd === null));
        }
      },
    ),
  );
});

test("a sum does not depend on the order of the turns", () => {
  fc.assert(
    fc.property(fc.array(spending, { maxLength: 20 }), (turns) => {
      assert.deepEqual(told("model", turns.toReversed()), told("model", turns));
    }),
  );
});
