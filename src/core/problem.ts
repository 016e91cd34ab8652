import type { ErrorCode, ParleyError } from "./errors.ts";

/** An error on the wire, as RFC 9457 has it. `code` is the stable word for programs. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  /** The id of the request, also in `x-request-id` and in the log. */
  instance?: string;
  [member: string]: unknown;
}

export const PROBLEM_TYPE = "application/problem+json";

/** `session_not_found` reads "Session not found". */
function titleOf(code: ErrorCode): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The details of an error become members of their own, but never replace a member that the format defines. */
export function problemOf(error: ParleyError, instance?: string): Problem {
  return {
    ...error.details,
    type: `urn:parley:error:${error.code}`,
    title: titleOf(error.code),
    status: error.status,
    detail: error.message,
    code: error.code,
    ...(instance === undefined ? {} : { instance }),
  };
}
