import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { ParleyApiError } from "../../client/index.ts";
import { messageOf } from "../../core/errors.ts";
import type { Failure } from "../../core/events/values.ts";
import { oneLine } from "../../core/one-line.ts";

const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
const AUTH_REQUIRED = -32000;

/** Codes of failures that a login would avoid. */
const LOGIN: ReadonlySet<string> = new Set(["model_auth", "auth_required"]);

/** Statuses of refusals that another request can avoid. */
const AVOIDABLE: ReadonlySet<number> = new Set([400, 403, 404, 409, 413, 415, 422, 501]);

export function invalidParams(message: string): RequestError {
  return new RequestError(INVALID_PARAMS, oneLine(message));
}

/** The agent needs a login; the message says how to do that. */
export function authRequired(message: string, agent: string): RequestError {
  return new RequestError(AUTH_REQUIRED, oneLine(`Authentication required: ${message}`), { agent });
}

/** The error of a turn that failed. */
export function turnError({ code, message, details }: Failure): RequestError {
  const data = { code, ...(details === undefined ? {} : { details }) };
  return new RequestError(LOGIN.has(code) ? AUTH_REQUIRED : INTERNAL, oneLine(message), data);
}

/** Makes the protocol's error of anything that was thrown. */
export function requestError(thrown: unknown, session?: string): RequestError {
  if (thrown instanceof RequestError) return thrown;
  if (!(thrown instanceof ParleyApiError)) return new RequestError(INTERNAL, oneLine(messageOf(thrown)));
  const { status, code, detail, message } = thrown;
  if (code === "session_not_found" && session !== undefined) {
    const known = RequestError.sessionNotFound(session);
    // Editors show the message alone.
    return new RequestError(known.code, oneLine(`${known.message}: no session ${session}`), known.data);
  }
  const data = { code, status };
  return new RequestError(AVOIDABLE.has(status) ? INVALID_PARAMS : INTERNAL, oneLine(detail || message), data);
}
