import { messageOf } from "../../core/errors.ts";
import type { Failure } from "../../core/events/values.ts";

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
  /** The longest wait that a server may ask for. */
  patienceMs: number;
}

export const RETRY_POLICY: RetryPolicy = { attempts: 6, baseMs: 1_000, maxMs: 60_000, patienceMs: 600_000 };

export interface Verdict {
  retryable: boolean;
  failure: Failure;
  /** What the server asked for. */
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
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** What a failed model call means for the turn. */
export function judge(error: unknown, now: number): Verdict {
  const { statusCode, responseHeaders, responseBody = "", isRetryable } = httpOf(error);
  const message = textOf(error);
  const broke = NO_QUOTA.test(`${message} ${responseBody}`);
  const retryable =
    !broke && (error instanceof CutStream || isRetryable === true || isNetwork(error) || isBusyPayload(error));
  const afterMs = retryAfterMs(responseHeaders, now);
  return {
    retryable,
    failure: {
      code: codeFor(statusCode),
      message: statusCode === undefined ? message : `the model's API answered ${statusCode}: ${message}`,
      retryable,
      ...(statusCode === undefined ? {} : { details: { status: statusCode } }),
    },
    ...(afterMs === undefined ? {} : { afterMs }),
  };
}

/** How long to wait before the next attempt: as the server says, or twice as long each time. */
export function waitBefore(attempt: number, afterMs: number | undefined, policy: RetryPolicy): number {
  if (afterMs !== undefined) return Math.min(afterMs, policy.patienceMs);
  return Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
}
