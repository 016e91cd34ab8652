import type { Tokens, Usage, UsageShare } from "./events/values.ts";

export function addTokens(a: Tokens | undefined, b: Tokens): Tokens {
  return {
    input: (a?.input ?? 0) + b.input,
    output: (a?.output ?? 0) + b.output,
    reasoning: (a?.reasoning ?? 0) + (b.reasoning ?? 0),
    cacheRead: (a?.cacheRead ?? 0) + (b.cacheRead ?? 0),
    cacheWrite: (a?.cacheWrite ?? 0) + (b.cacheWrite ?? 0),
  };
}

/** The shares of models in a sum. A cost that is not known of one part is not known of the sum. */
function addShares(a: Usage["models"] = {}, b: Usage["models"] = {}): Record<string, UsageShare> {
  const sum = new Map(Object.entries(a));
  for (const [model, share] of Object.entries(b)) {
    const before = sum.get(model);
    const known = share.cost !== undefined && (!before || before.cost !== undefined);
    const cost = known ? { cost: (before?.cost ?? 0) + (share.cost ?? 0) } : {};
    sum.set(model, { tokens: addTokens(before?.tokens, share.tokens), ...cost });
  }
  return Object.fromEntries(sum);
}

/** The sum of two usages, with the newer context. */
export function addUsage(total: Usage, more: Usage | undefined): Usage {
  if (!more) return total;
  const sum: Usage = { ...total };
  if (more.cost !== undefined) sum.cost = (total.cost ?? 0) + more.cost;
  if (more.context) sum.context = more.context;
  if (more.tokens) sum.tokens = addTokens(total.tokens, more.tokens);
  if (more.models) sum.models = addShares(total.models, more.models);
  return sum;
}
