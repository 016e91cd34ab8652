import type { Failure } from "../../../core/events/values.ts";
import { type Fields, isFields, jsonIn, numberIn, present, textIn } from "../../../core/json/fields.ts";

/** The program's kinds of errors in Parley's codes. An unknown one is a failure of the model. */
const CODES: Readonly<Record<string, { code: string; retryable?: boolean }>> = {
  contextWindowExceeded: { code: "context_full" },
  sessionBudgetExceeded: { code: "model_billing" },
  usageLimitExceeded: { code: "model_rate_limited", retryable: true },
  rateLimitExceeded: { code: "model_rate_limited", retryable: true },
  responseTooManyFailedAttempts: { code: "model_failed", retryable: true },
  serverOverloaded: { code: "model_failed", retryable: true },
  internalServerError: { code: "model_failed", retryable: true },
  httpConnectionFailed: { code: "model_failed", retryable: true },
  responseStreamConnectionFailed: { code: "model_failed", retryable: true },
  responseStreamDisconnected: { code: "model_failed", retryable: true },
  modelNotFound: { code: "model_not_found" },
  unauthorized: { code: "model_auth" },
};

/** Codes of answers that say more than the program's kind of the error. */
const STATUSES: Readonly<Record<number, { code: string; retryable?: boolean }>> = {
  401: { code: "model_auth" },
  403: { code: "model_auth" },
  429: { code: "model_rate_limited", retryable: true },
};

/** The kind is a word, or an object with one entry, whose name is the kind. */
function kindOf(info: unknown): { kind: string; status?: number } {
  if (typeof info === "string") return { kind: info };
  const [entry] = isFields(info) ? Object.entries(info) : [];
  if (!entry) return { kind: "other" };
  const [kind, facts] = entry;
  return present({ kind, status: isFields(facts) ? numberIn(facts, "httpStatusCode") : undefined });
}

/** The program may give the body of the model's answer as its message. */
function wordsOf(message: string): string {
  const body = jsonIn(message);
  const error = isFields(body) ? (isFields(body.error) ? body.error : body) : {};
  return textIn(error, "message") ?? message;
}

/** An error of the program's: why a turn failed. */
export function failureOf(error: Fields): Failure {
  const { kind, status } = kindOf(error.codexErrorInfo);
  const known = STATUSES[status ?? 0] ?? (Object.hasOwn(CODES, kind) ? CODES[kind] : undefined);
  const { code, retryable = false } = known ?? { code: "model_failed" };
  const message = wordsOf(textIn(error, "message") ?? "") || `Codex reports ${kind} without saying more`;
  const more = textIn(error, "additionalDetails");
  return { code, message, retryable, details: present({ kind, status, more }) };
}
