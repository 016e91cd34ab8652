import type { LanguageModelUsage } from "ai";
import type { Tokens, Usage } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { Price } from "../../contract.ts";

const MILLION = 1_000_000;

/** `input` is what was not in a cache; `output` holds the reasoning, too. */
function tokensOf({ inputTokens, inputTokenDetails, outputTokens, outputTokenDetails }: LanguageModelUsage): Tokens {
  const { noCacheTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = inputTokenDetails;
  return {
    input: noCacheTokens ?? Math.max(0, (inputTokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    output: outputTokens ?? 0,
    reasoning: outputTokenDetails.reasoningTokens ?? 0,
    cacheRead: cacheReadTokens,
    cacheWrite: cacheWriteTokens,
  };
}

function costOf({ input, output, cacheRead = 0, cacheWrite = 0 }: Tokens, price: Price): number {
  const parts = [
    input * price.input,
    output * price.output,
    cacheRead * (price.cacheRead ?? price.input),
    cacheWrite * (price.cacheWrite ?? price.input),
  ];
  return parts.reduce((sum, part) => sum + part, 0) / MILLION;
}

/** The tokens of a step, its cost where the price is known, and how full the context is now. */
export function usageOf(used: LanguageModelUsage, model: { price?: Price; context?: number }): Usage {
  const tokens = tokensOf(used);
  const { input, output, cacheRead = 0, cacheWrite = 0 } = tokens;
  const context = present({ used: input + cacheRead + cacheWrite + output, size: model.context });
  return present({ tokens, context, cost: model.price && costOf(tokens, model.price) });
}
