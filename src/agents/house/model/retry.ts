import { messageOf } from "../../../core/errors.ts";
import type { Failure } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";

/** The model's stream ended before the model did. */
export class CutStream extends Error {
  constructor(message = "the model's stream was cut off") {
    super(message);
    this.name = "CutStream";
  }
}

export interface RetryPolicy {
  attempts: number;
  baseMs: number;
  maxMs: number;
  /** The longest wait that a server may ask for; a longer one ends the turn. */
  patienceMs: number;
}

export const RETRY_POLICY: RetryPolicy = { attempts: 6, baseMs: 1_000, maxMs: 60_000, patienceMs: 600_000 };

export interface Verdict {
  retryable: boolean;
  failure: Failure;
  /** The wait that the server asked for. */
  afterMs?: number;
}

interface HttpFailure {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  responseBody?: string;
  isRetryable?: boolean;
}

const NETWORK =
  /terminated|socket|network|fetch failed|other side closed|cannot connect|without a finish reason|no output generated|ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN/i;
/** An account without money gets the status of a busy server, but waiting does not help. */
const NO_QUOTA = /insufficient_quota|billing_hard_limit|credit balance/i;
const BUSY = /overloaded|rate.?limit|internal server error|service unavailable|server_error|api_error/i;

/** The conversation does not fit the model's context any more. */
const TOO_LONG =
  /context_length_exceeded|maximum context length|prompt is too long|exceeds?(?: \S+){0,3} (?:context|maximum number of tokens)|exceed_context|request_too_large/i;

export const FULL: Failure = {
  code: "context_full",
  message:
    "the conversation is too long for this model: start a new session, or choose a model with a larger context for the next prompt",
  retryable: false,
};

function httpOf(error: unknown): HttpFailure {
  return typeof error === "object" && error !== null ? (error as HttpFailure) : {};
}

function codeFor(status: number | undefined): string {
  if (status === 401 || status === 403) return "model_auth";
  return status === 429 ? "model_rate_limited" : "model_failed";
}

function isNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return NETWORK.test(`${error.message} ${code}`) || (error.cause !== undefined && isNetwork(error.cause));
}

/** Errors in a stream come in the provider's own shape, with a type instead of a status. */
function isBusyPayload(error: unknown): boolean {
  if (error instanceof Error && !("type" in error)) return false;
  return BUSY.test(JSON.stringify(error) ?? "");
}

function textOf(error: unknown): string {
  if (error instanceof Error || typeof error !== "object") return messageOf(error);
  const { message, error: inner } = error as { message?: unknown; error?: unknown };
  if (typeof message === "string") return message;
  return inner === undefined ? JSON.stringify(error) : textOf(inner);
}

/** `retry-after` in seconds or as a date, `retry-after-ms` as it says. */
export function retryAfterMs(headers: Record<string, string> | undefined, now: number): number | undefined {
  const exact = Number.parseFloat(headers?.["retry-after-ms"] ?? "");
  if (exact >= 0) return exact;
  const value = headers?.["retry-after"];
  if (!value?.trim()) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A server that answered has said whether to try again; only without an answer do the words of the error count. */
function mayPass(error: unknown, status: number | undefined, isRetryable: boolean | undefined): boolean {
  if (status !== undefined) return isRetryable === true;
  return error instanceof CutStream || isRetryable === true || isNetwork(error) || isBusyPayload(error);
}

function adviceFor(status: number | undefined, waitMs: number | undefined): string {
  if (waitMs !== undefined)
    return `; it asks to wait ${Math.ceil(waitMs / 60_000)} minutes: send the prompt again then`;
  return status === 401 || status === 403 ? "; check the key of this model's provider" : "";
}

/** Judges a failed model call: whether to try again, and when. A wait of more than `patienceMs` is not worth it. */
export function judge(error: unknown, now: number, patienceMs = Number.POSITIVE_INFINITY): Verdict {
  const { statusCode, responseHeaders, responseBody = "", isRetryable } = httpOf(error);
  const said = textOf(error);
  const all = `${said} ${responseBody} ${error instanceof Error ? "" : JSON.stringify(error)}`;
  const message = statusCode === undefined ? said : `the model's API answered ${statusCode}: ${said}`;
  const details = statusCode === undefined ? {} : { details: { status: statusCode } };
  if (TOO_LONG.test(all) && statusCode !== 429)
    return { retryable: false, failure: { ...FULL, message: `${FULL.message} (${message})`, ...details } };
  const afterMs = retryAfterMs(responseHeaders, now);
  const tooLate = afterMs !== undefined && afterMs > patienceMs;
  const retryable = !NO_QUOTA.test(all) && !tooLate && mayPass(error, statusCode, isRetryable);
  const advice = adviceFor(statusCode, tooLate ? afterMs : undefined);
  const failure = { code: codeFor(statusCode), message: `${message}${advice}`, retryable, ...details };
  return present({ retryable, failure, afterMs });
}

/** How long to wait before the next attempt: as the server says, or twice as long each time. */
export function waitBefore(attempt: number, afterMs: number | undefined, policy: RetryPolicy): number {
  if (afterMs !== undefined) return afterMs;
  return Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
}
