import type { Usage } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, numberIn, present, textIn } from "../../../core/json/fields.ts";

/** The usage of a step, as its message tells it. The program's cost of a model without a price is 0: it is not known. */
export function usageOf(info: Fields): Usage | undefined {
  const { tokens: told } = info;
  if (!isFields(told)) return undefined;
  const cache = fieldsIn(told, "cache");
  const [input = 0, output = 0] = [numberIn(told, "input"), numberIn(told, "output")];
  const reasoning = numberIn(told, "reasoning");
  const [cacheRead, cacheWrite] = [numberIn(cache, "read"), numberIn(cache, "write")];
  // The program counts the reasoning beside the output, Parley as a part of it.
  const all = output + (reasoning ?? 0);
  const tokens = { input, output: all, ...present({ reasoning, cacheRead, cacheWrite }) };
  const used = input + all + (cacheRead ?? 0) + (cacheWrite ?? 0);
  if (used === 0) return undefined;
  const cost = numberIn(info, "cost");
  const context = info.summary === true ? undefined : { used };
  const share = { tokens, ...present({ cost: cost === 0 ? undefined : cost }) };
  const [provider, name] = [textIn(info, "providerID"), textIn(info, "modelID")];
  const models = provider === undefined || name === undefined ? undefined : { [`${provider}/${name}`]: share };
  return { ...share, ...present({ context, models }) };
}
