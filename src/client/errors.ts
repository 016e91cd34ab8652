import type { ErrorCode } from "../core/errors.ts";
import { jsonIn, objectAs } from "../core/json/fields.ts";

const PROBLEM_TYPE = "application/problem+json";

/** The server refused a request. */
export class ParleyApiError extends Error {
  readonly status!: number;
  /** The stable word for programs; `unknown` where the response was not Parley's own. */
  readonly code!: ErrorCode | "unknown" | (string & {});
  readonly detail!: string;
  /** The whole body of the response, such as `issues` of a body or the `resolution` of an ask. */
  readonly problem!: Readonly<Record<string, unknown>>;
  /** When to try again, where the server said so. */
  readonly retryAfterMs!: number | undefined;

  constructor(
    message: string,
    response: Pick<ParleyApiError, "status" | "code" | "detail" | "problem" | "retryAfterMs">,
  ) {
    super(message);
    this.name = "ParleyApiError";
    Object.assign(this, response);
  }
}

/** The server could not be reached, or the connection broke before the response was whole. */
export class ParleyConnectionError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ParleyConnectionError";
  }
}

/** The response is not one of a Parley server. */
export class ParleyProtocolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ParleyProtocolError";
  }
}

/** The innermost reason that has words: fetch hides it under "fetch failed". */
export function reasonOf(thrown: unknown): string {
  let reason = "";
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code = "code" in error && typeof error.code === "string" ? error.code : "";
    reason = error.message || code || reason;
  }
  return reason || String(thrown);
}

export function connectionError(what: string, thrown: unknown): ParleyConnectionError {
  if (thrown instanceof ParleyConnectionError) return thrown;
  return new ParleyConnectionError(`${what} got no answer (${reasonOf(thrown)}): is the server running?`, thrown);
}

function retryAfterOf(value: string | null): number | undefined {
  return value !== null && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined;
}

function adviceFor(status: number, sentToken: boolean): string {
  if (status !== 401) return "";
  const wrong = "the token that was sent is not the server's";
  return `; ${sentToken ? wrong : "no token was sent"}: give it as createClient({ url, token })`;
}

/** Makes the error of a response whose status is not a good one. */
export function apiError(
  what: string,
  response: { status: number; headers: Headers; text: string },
  sentToken: boolean,
): ParleyApiError {
  const { status, headers, text } = response;
  const type = headers.get("content-type") ?? "no content type";
  const retryAfterMs = retryAfterOf(headers.get("retry-after"));
  if (!type.startsWith(PROBLEM_TYPE)) {
    const detail = `expected ${PROBLEM_TYPE}, got ${type}: check that the address is that of a Parley server`;
    const said = { status, code: "unknown", detail, problem: {}, retryAfterMs };
    return new ParleyApiError(`${what} answered ${status}: ${detail}`, said);
  }
  const problem = objectAs<Record<string, unknown>>(jsonIn(text)) ?? {};
  const code = typeof problem.code === "string" ? problem.code : "unknown";
  const detail = typeof problem.detail === "string" ? problem.detail : "";
  const message = `${what} answered ${status} ${code}: ${detail}${adviceFor(status, sentToken)}`;
  return new ParleyApiError(message, { status, code, detail, problem, retryAfterMs });
}
