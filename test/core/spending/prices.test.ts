import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDay } from "../../../src/core/spending/days.ts";
import { costOf, priceOf, readPrices, withPrices } from "../../../src/core/spending/prices.ts";
import { publicPrices } from "../../../src/core/spending/public-prices.ts";

const table = (models: object) => {
  const read = readPrices({ date: "2026-01-31", models });
  assert.ok(typeof read === "object", String(read));
  return read;
};

describe("the price of a model", () => {
  const prices = table({
    "gpt-5": { input: 1, output: 2 },
    "gpt-5-mini": { input: 3, output: 4 },
    "near/gpt-5": { input: 5, output: 6 },
  });
  const NAMES: [model: string, input: number | undefined][] = [
    ["gpt-5", 1],
    ["GPT-5", 1],
    ["openai/gpt-5", 1],
    ["openrouter/openai/gpt-5", 1],
    ["gpt-5-2026-08-07", 1],
    ["gpt-5-20260807", 1],
    ["gpt-5[1m]", 1],
    ["gpt-5-20260807[1m]", 1],
    ["near/gpt-5", 5],
    ["gpt-5-mini", 3],
    ["gpt-5-nano", undefined],
    ["gpt-5.1", undefined],
    ["gpt", undefined],
    ["", undefined],
    ["constructor", undefined],
  ];
  for (const [model, input] of NAMES)
    test(`of ${model || "no name"} is ${input ?? "not known"}`, () =>
      assert.equal(priceOf(prices, model)?.input, input));

  test("is the user's own where there is one, and null makes it unknown", () => {
    const own = withPrices(prices, table({ "gpt-5": null, "local/llama": { input: 0, output: 0 } }));
    assert.equal(priceOf(own, "gpt-5"), undefined);
    assert.deepEqual(priceOf(own, "local/llama"), { input: 0, output: 0 });
    assert.equal(priceOf(own, "gpt-5-mini")?.input, 3);
  });
});

test("a cache without a price of its own costs as input does", () => {
  const tokens = { input: 1_000_000, output: 0, cacheRead: 1_000_000, cacheWrite: 1_000_000 };
  assert.equal(costOf(tokens, { input: 2, output: 9 }), 6e9);
  assert.equal(costOf(tokens, { input: 2, output: 9, cacheRead: 0.2, cacheWrite: 2.5 }), 4.7e9);
});

test("a file that is no table is refused with the reason", () => {
  const WRONG: [unknown, RegExp][] = [
    [[], /expected an object/],
    [{ models: {} }, /`date`/],
    [{ date: "x", models: { m: { input: -1, output: 1 } } }, /models\["m"\]/],
    [{ date: "x", models: { m: { input: 1 } } }, /models\["m"\]/],
    [{ date: "x", models: { m: { input: 1, output: 1, cached: 2 } } }, /models\["m"\]/],
  ];
  for (const [json, words] of WRONG) assert.match(String(readPrices(json)), words);
});

test("Parley's own table has a day, and no cache that costs more to read than to ask", () => {
  const { date, models } = publicPrices();
  assert.ok(isDay(date));
  for (const [name, price] of models)
    assert.ok(price && (price.cacheRead ?? 0) <= price.input && price.input <= price.output, name);
});
