import type { EventOf } from "../../../core/events/event.ts";
import type { EndReason, Failure } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { MessageError } from "../shapes/message.ts";

const AUTH: ReadonlySet<string> = new Set(["model_auth", "auth_required", "login_required"]);
const API: ReadonlySet<string> = new Set(["model_auth", "model_failed", "model_rate_limited"]);

/** An answer of a model's API is told as one; a key that is missing as what to do about a provider. */
export function errorOf(failure: Failure, providerID: string): MessageError {
  const { code, message, retryable = false, details } = failure;
  const status = typeof details?.status === "number" ? details.status : undefined;
  if (AUTH.has(code) && status === undefined) return { name: "ProviderAuthError", data: { providerID, message } };
  if (!API.has(code)) return { name: "UnknownError", data: { message } };
  return { name: "APIError", data: present({ message, isRetryable: retryable, statusCode: status }) };
}

function aborted(message: string): MessageError {
  return { name: "MessageAbortedError", data: { message } };
}

/** The error of a turn that failed or was stopped; undefined for one that ended well. */
export function turnError(
  { reason, error }: EventOf<"turn.ended">["data"],
  providerID: string,
): MessageError | undefined {
  switch (reason) {
    case "error":
      return errorOf(error ?? { code: "unknown", message: "the agent failed without saying why" }, providerID);
    case "cancelled":
      return aborted("Aborted");
    case "interrupted":
      return aborted("Interrupted: the agent was stopped before it was done");
    default:
      return undefined;
  }
}

const FINISHES: ReadonlyMap<string, string> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["completed", "stop"],
  ["tool_use", "tool-calls"],
  ["tool_calls", "tool-calls"],
  // A step whose answer broke off after tools had run: the next one goes on from there.
  ["interrupted", "tool-calls"],
  ["max_tokens", "length"],
  ["refusal", "content-filter"],
  ["content_filter", "content-filter"],
]);

/** An agent's word for why a step ended, in OpenCode's words. */
export function finishOf(finish: string): string {
  return FINISHES.get(finish) ?? finish;
}

const TURN_FINISHES: Partial<Record<EndReason, string>> = {
  end_turn: "stop",
  max_tokens: "length",
  refusal: "content-filter",
  max_turns: "tool-calls",
};

/** How the last step ended, where only the turn says so. */
export function finishOfTurn(reason: EndReason): string | undefined {
  return TURN_FINISHES[reason];
}
