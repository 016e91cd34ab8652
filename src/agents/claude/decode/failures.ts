import type { EndReason, Failure } from "../../../core/events/values.ts";
import { type Fields, numberIn, present, textIn } from "../../../core/json/fields.ts";
import type { End } from "./state.ts";

/** The program's kinds of errors in Parley's codes. An unknown one is a failure of the model. */
const CODES: Readonly<Record<string, { code: string; retryable?: boolean }>> = {
  authentication_failed: { code: "model_auth" },
  oauth_org_not_allowed: { code: "model_auth" },
  billing_error: { code: "model_billing" },
  rate_limit: { code: "model_rate_limited", retryable: true },
  overloaded: { code: "model_failed", retryable: true },
  server_error: { code: "model_failed", retryable: true },
  model_not_found: { code: "model_not_found" },
  max_output_tokens: { code: "max_tokens" },
};

export function failureOf(kind: string, text: string, details: Record<string, unknown> = {}): Failure {
  const { code, retryable = false } = CODES[kind] ?? { code: "model_failed" };
  const message = text === "" ? `Claude Code reports ${kind} without saying more` : text;
  return { code, message, retryable, details: { kind, ...details } };
}

/** The program's own words about an interrupt, which are not for users. */
const DIAGNOSTIC = "[ede_diagnostic]";

function errorsOf(result: Fields): string {
  const { errors } = result;
  const lines = Array.isArray(errors) ? errors.filter((line) => typeof line === "string") : [];
  return lines.filter((line) => !line.startsWith(DIAGNOSTIC)).join("; ");
}

/** The reasons that `subtype`, `terminal_reason` and `stop_reason` name. An error may hide behind the subtype "success". */
function namedReason(result: Fields, kind: string | undefined): EndReason | undefined {
  const terminal = textIn(result, "terminal_reason") ?? "";
  const stop = textIn(result, "stop_reason");
  if (terminal.startsWith("aborted")) return "cancelled";
  if (terminal === "max_turns" || textIn(result, "subtype") === "error_max_turns") return "max_turns";
  if (stop === "refusal") return "refusal";
  if (kind === "max_output_tokens" || stop === "max_tokens") return "max_tokens";
  return undefined;
}

/** How a turn ended, by its `result` and by the error that the program told before it. */
export function endOf(result: Fields, failure: { kind: string; text: string } | undefined): End {
  const failed = result.is_error === true;
  const reason = namedReason(result, failed ? failure?.kind : undefined);
  if (reason) return { reason };
  if (!failed) return { reason: "end_turn" };
  const subtype = textIn(result, "subtype") ?? "error";
  const terminal = textIn(result, "terminal_reason");
  const kind = failure?.kind ?? (subtype === "success" ? "unknown" : subtype);
  const text = textIn(result, "result") || errorsOf(result) || failure?.text || "";
  const details = present({ status: numberIn(result, "api_error_status"), terminal });
  const error = failureOf(kind, text, details);
  return { reason: "error", error: terminal === "prompt_too_long" ? { ...error, code: "context_full" } : error };
}
