import type { Tokens, Usage } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, numberIn } from "../../../core/json/fields.ts";
import { type DecodeState, NO_TOTALS, type Totals } from "./state.ts";

/** The tokens of one call of the model. `input` is what was not in a cache. */
export function tokensOf(usage: Fields): Tokens {
  return {
    input: numberIn(usage, "input_tokens") ?? 0,
    output: numberIn(usage, "output_tokens") ?? 0,
    cacheRead: numberIn(usage, "cache_read_input_tokens") ?? 0,
    cacheWrite: numberIn(usage, "cache_creation_input_tokens") ?? 0,
  };
}

/** A step's usage, and how full the context is after it. */
export function stepUsage(usage: Fields, size: number | undefined): Usage & { context: { used: number } } {
  const tokens = tokensOf(usage);
  const used = tokens.input + tokens.output + (tokens.cacheRead ?? 0) + (tokens.cacheWrite ?? 0);
  return { tokens, context: { used, ...(size === undefined ? {} : { size }) } };
}

/** The sum of a `result` since the program's start, over all models: sub-agents and repeated calls are in it. */
export function totalsOf(result: Fields): Totals {
  let sum = { ...NO_TOTALS, cost: numberIn(result, "total_cost_usd") ?? 0 };
  for (const used of Object.values(fieldsIn(result, "modelUsage")).filter(isFields)) {
    sum = {
      ...sum,
      input: sum.input + (numberIn(used, "inputTokens") ?? 0),
      output: sum.output + (numberIn(used, "outputTokens") ?? 0),
      cacheRead: sum.cacheRead + (numberIn(used, "cacheReadInputTokens") ?? 0),
      cacheWrite: sum.cacheWrite + (numberIn(used, "cacheCreationInputTokens") ?? 0),
    };
  }
  return sum;
}

export function windowOf(result: Fields, model: string | undefined): number | undefined {
  return model === undefined ? undefined : numberIn(fieldsIn(fieldsIn(result, "modelUsage"), model), "contextWindow");
}

/** Costs are sums of floats: digits behind the tenth are rounding errors. */
const round = (dollars: number): number => Math.round(dollars * 1e10) / 1e10;

/** A turn's share of the totals. */
export function turnUsage({ totals, latest, context }: DecodeState): Usage {
  const tokens = {
    input: latest.input - totals.input,
    output: latest.output - totals.output,
    cacheRead: latest.cacheRead - totals.cacheRead,
    cacheWrite: latest.cacheWrite - totals.cacheWrite,
  };
  return { tokens, cost: round(latest.cost - totals.cost), ...(context ? { context } : {}) };
}
