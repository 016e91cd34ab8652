import type { Usage } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, numberIn, present } from "../../../core/json/fields.ts";

/** The usage of a step, as its message tells it. The program's cost of a model without a price is 0: it is not known. */
export function usageOf(info: Fields): Usage | undefined {
  const { tokens: told } = info;
  if (!isFields(told)) return undefined;
  const cache = fieldsIn(told, "cache");
  const tokens = {
    input: numberIn(told, "input") ?? 0,
    output: numberIn(told, "output") ?? 0,
    ...present({
      reasoning: numberIn(told, "reasoning"),
      cacheRead: numberIn(cache, "read"),
      cacheWrite: numberIn(cache, "write"),
    }),
  };
  const used = Object.values(tokens).reduce((sum, count) => sum + count, 0);
  if (used === 0) return undefined;
  const cost = numberIn(info, "cost");
  const context = info.summary === true ? undefined : { used };
  return present({ tokens, cost: cost === 0 ? undefined : cost, context });
}
