import type { Tokens, Usage } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, numberIn, present } from "../../../core/json/fields.ts";
import { addUsage } from "../../../core/usage.ts";
import type { DecodeState, Say } from "./state.ts";

/** Numbers beyond these are no counts and no costs: they would spoil every sum that they are a part of. */
const MOST_TOKENS = 1e12;
const MOST_DOLLARS = 1e9;

function countIn(holder: Fields, name: string): number | undefined {
  const count = numberIn(holder, name);
  return count !== undefined && Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS ? count : undefined;
}

function dollarsIn(cost: Fields): number | undefined {
  const amount = cost.currency === "USD" ? numberIn(cost, "amount") : undefined;
  return amount !== undefined && amount >= 0 && amount <= MOST_DOLLARS ? amount : undefined;
}

/** The context as it is now, and the session's cost so far. */
export function onUsage(state: DecodeState, update: Fields, say: Say): void {
  const [used, size] = [countIn(update, "used"), countIn(update, "size")];
  const amount = dollarsIn(fieldsIn(update, "cost"));
  if (amount !== undefined) state.cost = amount;
  // A reply that was stopped counts as nothing with some agents, and the context is not empty for that.
  if (!used || state.place === "left_out") return;
  if (state.context?.used === used && state.context.size === (size || undefined)) return;
  state.context = { used, ...(size ? { size } : {}) };
  say({ type: "usage", usage: { context: state.context } });
}

/** The first of the numbers that is there. */
function first(holder: Fields, ...names: readonly string[]): number {
  return names.map((name) => countIn(holder, name)).find((value) => value !== undefined) ?? 0;
}

/**
 * Tokens of a turn. Agents differ in whether the input holds what a cache had, and the output what was thought: the total tells.
 * Input that a cache held is counted there alone, thinking is a part of the output.
 */
function tokensOf(usage: Fields): Tokens {
  const input = first(usage, "inputTokens", "input_tokens");
  const output = first(usage, "outputTokens", "output_tokens");
  const total = first(usage, "totalTokens", "total_tokens");
  const reasoning = first(usage, "thoughtTokens");
  const cacheRead = first(usage, "cachedReadTokens");
  const cacheWrite = first(usage, "cachedWriteTokens");
  const cached = cacheRead + cacheWrite;
  const holdsCached = cached > 0 && (total === input + output || total === input + output + reasoning);
  const holdsThought = reasoning > 0 && (total === input + output || total === input + output + cached);
  return {
    input: holdsCached ? Math.max(0, input - cached) : input,
    output: holdsThought || total === 0 ? output : output + reasoning,
    reasoning,
    cacheRead,
    cacheWrite,
  };
}

/** Costs are sums of floats: digits behind the tenth are rounding errors. */
const round = (dollars: number): number => Math.round(dollars * 1e10) / 1e10;

/**
 * The cost of the turn. The program tells the sum of its session, or of its start, which began anew where it shrank. A sum that did not grow says nothing: a
 * model without a price costs nothing with some agents, and so does a reply that was stopped.
 */
function turnCost({ cost, costBefore }: DecodeState): number | undefined {
  if (cost === undefined || costBefore === undefined) return undefined;
  return round(cost < costBefore ? cost : cost - costBefore) || undefined;
}

/** Tokens of the turn with those of this answer. */
export function addTokens({ spent = {} }: DecodeState, result: Fields): Usage {
  const counts = [result.usage, fieldsIn(fieldsIn(result, "_meta"), "quota").token_count].find(isFields);
  return counts ? addUsage(spent, { tokens: tokensOf(counts) }) : spent;
}

/** The usage of the turn that ends with this answer. */
export function turnUsage(state: DecodeState, result: Fields): Usage | undefined {
  const { tokens } = addTokens(state, result);
  const usage = present({ tokens, cost: turnCost(state), context: state.context });
  return Object.keys(usage).length > 0 ? usage : undefined;
}
