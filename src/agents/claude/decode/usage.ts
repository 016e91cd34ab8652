import type { Tokens, Usage, UsageShare } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, numberIn } from "../../../core/json/fields.ts";
import { type DecodeState, type Figures, NO_FIGURES, type Totals } from "./state.ts";

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

function figuresOf(used: Fields): Figures {
  return {
    input: numberIn(used, "inputTokens") ?? 0,
    output: numberIn(used, "outputTokens") ?? 0,
    cacheRead: numberIn(used, "cacheReadInputTokens") ?? 0,
    cacheWrite: numberIn(used, "cacheCreationInputTokens") ?? 0,
    cost: numberIn(used, "costUSD") ?? 0,
  };
}

/** The sum of a `result` since the program's start, over all models: sub-agents and repeated calls are in it. */
export function totalsOf(result: Fields): Totals {
  const told = Object.entries(fieldsIn(result, "modelUsage"));
  const models = new Map(told.flatMap(([model, used]) => (isFields(used) ? [[model, figuresOf(used)] as const] : [])));
  const sum = (name: keyof Figures): number => [...models.values()].reduce((all, figures) => all + figures[name], 0);
  return {
    input: sum("input"),
    output: sum("output"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite"),
    cost: numberIn(result, "total_cost_usd") ?? 0,
    models,
  };
}

export function windowOf(result: Fields, model: string | undefined): number | undefined {
  return model === undefined ? undefined : numberIn(fieldsIn(fieldsIn(result, "modelUsage"), model), "contextWindow");
}

/** Costs are sums of floats: digits behind the tenth are rounding errors. */
const round = (dollars: number): number => Math.round(dollars * 1e10) / 1e10;

/** The difference of two counts. A cost of nothing for tokens is not told: the program has prices for all that it knows. */
function shareOf(after: Figures, before: Figures): UsageShare {
  const tokens = {
    input: after.input - before.input,
    output: after.output - before.output,
    cacheRead: after.cacheRead - before.cacheRead,
    cacheWrite: after.cacheWrite - before.cacheWrite,
  };
  const cost = round(after.cost - before.cost);
  return { tokens, ...(cost > 0 || isNothing(tokens) ? { cost } : {}) };
}

const isNothing = (tokens: Tokens): boolean => Object.values(tokens).every((count) => count === 0);

/** A turn's share of the totals. */
export function turnUsage({ totals, latest, context }: DecodeState): Usage {
  const shares = [...latest.models]
    .map(([model, figures]) => [model, shareOf(figures, totals.models.get(model) ?? NO_FIGURES)] as const)
    .filter(([, { tokens }]) => !isNothing(tokens));
  const models = shares.length > 0 ? { models: Object.fromEntries(shares) } : {};
  return { ...shareOf(latest, totals), ...models, ...(context ? { context } : {}) };
}
