import type { Tokens, Usage } from "../../../core/events/values.ts";
import { type Fields, numberIn } from "../../../core/json/fields.ts";
import type { Tally, Thread } from "./state.ts";

/** One of the program's counts of tokens. */
export function tallyOf(count: Fields): Tally {
  return {
    input: numberIn(count, "inputTokens") ?? 0,
    cached: numberIn(count, "cachedInputTokens") ?? 0,
    written: numberIn(count, "cacheWriteInputTokens") ?? 0,
    output: numberIn(count, "outputTokens") ?? 0,
    reasoning: numberIn(count, "reasoningOutputTokens") ?? 0,
  };
}

export function sameTally(a: Tally, b: Tally): boolean {
  return a.input === b.input && a.output === b.output && a.cached === b.cached;
}

/** A count without a part of it. */
export function tallyBefore(count: Tally, part: Tally): Tally {
  const left = (name: keyof Tally): number => Math.max(0, count[name] - part[name]);
  return {
    input: left("input"),
    cached: left("cached"),
    written: left("written"),
    output: left("output"),
    reasoning: left("reasoning"),
  };
}

/** Tokens between two counts. A count that shrank began anew. Input that a cache held is counted there alone. */
export function tokensBetween(before: Tally, after: Tally): Tokens {
  const from = after.input < before.input || after.output < before.output ? undefined : before;
  const spent = (name: keyof Tally): number => Math.max(0, after[name] - (from?.[name] ?? 0));
  const [cacheRead, cacheWrite] = [spent("cached"), spent("written")];
  return {
    input: Math.max(0, spent("input") - cacheRead - cacheWrite),
    output: spent("output"),
    reasoning: spent("reasoning"),
    cacheRead,
    cacheWrite,
  };
}

/** The usage of the turn that is under way. The program knows no prices. */
export function turnUsage({ turn, tokens, context }: Thread): Usage {
  return { tokens: tokensBetween(turn?.before ?? tokens, tokens), ...(context ? { context } : {}) };
}
