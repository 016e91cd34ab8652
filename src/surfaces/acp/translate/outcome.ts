import type { Usage as AcpUsage, StopReason } from "@agentclientprotocol/sdk/unstable";
import type { Failure, Usage } from "../../../core/events/values.ts";
import type { TurnEnd } from "./updates.ts";

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "end_turn",
  max_tokens: "max_tokens",
  max_turns: "max_turn_requests",
  refusal: "refusal",
  cancelled: "cancelled",
  withdrawn: "cancelled",
  deleted: "cancelled",
};

/** The stop reason of an end; undefined where the turn failed. */
export function stopReason({ reason }: Pick<TurnEnd, "reason">): StopReason | undefined {
  return STOPS[reason];
}

/** The tokens of a turn. Parley's input has no cached tokens in it. */
export function turnUsage(usage: Usage | undefined): AcpUsage | undefined {
  const tokens = usage?.tokens;
  if (!tokens) return undefined;
  const { input, output, reasoning, cacheRead, cacheWrite } = tokens;
  return {
    // Reasoning is a part of the output.
    totalTokens: input + output + (cacheRead ?? 0) + (cacheWrite ?? 0),
    inputTokens: input,
    outputTokens: output,
    ...(reasoning === undefined ? {} : { thoughtTokens: reasoning }),
    ...(cacheRead === undefined ? {} : { cachedReadTokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cachedWriteTokens: cacheWrite }),
  };
}

const LOST: Failure = { code: "lost", message: "the end of the turn is no longer kept; session/load shows what is" };

/** Why a turn without a stop reason failed. */
export function failureOf({ reason, error }: TurnEnd): Failure {
  if (error) return error;
  if (reason === "lost") return LOST;
  const message =
    reason === "interrupted"
      ? "the turn was interrupted, since its server or its agent ended: prompt again"
      : "the turn failed";
  return { code: reason, message };
}
