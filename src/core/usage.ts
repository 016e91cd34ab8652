import type { Usage } from "./events/values.ts";

/** The sum of two usages, with the newer context. */
export function addUsage(total: Usage, more: Usage | undefined): Usage {
  if (!more) return total;
  const sum: Usage = { ...total };
  if (more.cost !== undefined) sum.cost = (total.cost ?? 0) + more.cost;
  if (more.context) sum.context = more.context;
  if (more.tokens) {
    const a = total.tokens;
    const b = more.tokens;
    sum.tokens = {
      input: (a?.input ?? 0) + b.input,
      output: (a?.output ?? 0) + b.output,
      reasoning: (a?.reasoning ?? 0) + (b.reasoning ?? 0),
      cacheRead: (a?.cacheRead ?? 0) + (b.cacheRead ?? 0),
      cacheWrite: (a?.cacheWrite ?? 0) + (b.cacheWrite ?? 0),
    };
  }
  return sum;
}
