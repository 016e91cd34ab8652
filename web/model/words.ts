import type { EndReason, Failure, Usage } from "../../src/core/events/values.ts";

/** The end of a turn in words. */
export const END_WORDS: Readonly<Record<EndReason, string>> = {
  end_turn: "done",
  max_tokens: "ended: the reply reached its limit of tokens",
  max_turns: "ended: the limit of steps was reached",
  refusal: "ended: the model refused",
  cancelled: "stopped",
  error: "failed",
  interrupted: "interrupted: the server or the agent ended",
};

const ADVICE: Readonly<Record<string, string>> = {
  model_auth: "Log the agent in, or give it a key: the page Agents says how.",
  model_billing: "The account has no credit left: add some, or choose another model.",
  model_rate_limited: "Wait until the limit resets, or choose another model below.",
  rate_limit: "Wait until the limit resets, or choose another model below.",
  model_not_found: "Choose another model below.",
  context_full: "Compact the conversation, or fork it before this turn.",
  model_failed: "Send the prompt again; if it fails again, choose another model below.",
  agent_failed: "Send the prompt again: the agent starts anew.",
  agent_exited: "Send the prompt again: the agent starts anew.",
  spawn_failed: "The agent could not be started: the page Agents says whether it is installed.",
  resume_lost: "The agent no longer knows this session: it goes on without its memory.",
  compact_failed: "Try again, or begin a new session with what matters.",
};

/** What a person can do about a failure; undefined where its own words are all there is. */
export function adviceFor({ code, retryable }: Failure): string | undefined {
  return ADVICE[code] ?? (retryable ? "Send the prompt again." : undefined);
}

/** 999, 12.3k, 1.2M: short enough for a line. */
export function count(value: number): string {
  if (value < 1_000) return String(value);
  const [size, unit] = value < 999_500 ? [1_000, "k"] : [1_000_000, "M"];
  const scaled = value / size;
  return `${scaled < 99.95 ? scaled.toFixed(1).replace(/\.0$/, "") : Math.round(scaled)}${unit}`;
}

/** Dollars as people read them: a small amount keeps two digits that matter. */
export function dollars(usd: number): string {
  if (usd === 0) return "$0";
  return usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}

/** Tokens and cost of a turn in a line; what is not known is not said. */
export function usageWords({ tokens, cost }: Usage): string[] {
  const read = tokens && tokens.input + (tokens.cacheRead ?? 0) + (tokens.cacheWrite ?? 0);
  return [
    ...(tokens && read !== undefined ? [`${count(read)} in`, `${count(tokens.output)} out`] : []),
    ...(cost === undefined ? [] : [dollars(cost)]),
  ];
}

/** The state of a context window from 0 to 1, where its size is known. */
export function contextShare({ context }: Usage): number | undefined {
  return context?.size ? Math.min(1, context.used / context.size) : undefined;
}

/** Bytes for people. */
export function bytes(size: number): string {
  if (size < 1_024) return `${size} B`;
  return size < 1_048_576 ? `${Math.round(size / 1_024)} kB` : `${(size / 1_048_576).toFixed(1)} MB`;
}
