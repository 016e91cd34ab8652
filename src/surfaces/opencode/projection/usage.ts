import type { Tokens as UniversalTokens, Usage } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { Tokens } from "../shapes/session.ts";

export const NO_TOKENS: Tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

/** `output` holds the reasoning in the log, but not in OpenCode's count. */
export function tokensOf(tokens: UniversalTokens | undefined): Tokens {
  if (!tokens) return NO_TOKENS;
  const { input, output, reasoning = 0, cacheRead = 0, cacheWrite = 0 } = tokens;
  return { input, output: Math.max(0, output - reasoning), reasoning, cache: { read: cacheRead, write: cacheWrite } };
}

/** With the total, as a message and its last part have them once they are known. */
export function countedTokens(tokens: UniversalTokens | undefined): Tokens {
  if (!tokens) return NO_TOKENS;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = tokens;
  return { total: input + output + cacheRead + cacheWrite, ...tokensOf(tokens) };
}

/** The usage that the turn reports and none of its steps did. */
export function unsaid(turn: Usage | undefined, steps: Usage): Usage {
  return present({
    tokens: steps.tokens ? undefined : turn?.tokens,
    cost: steps.cost === undefined ? turn?.cost : undefined,
  });
}
