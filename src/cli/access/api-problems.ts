import { ParleyApiError, ParleyConnectionError } from "../../client/index.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { Settings } from "../config/settings.ts";
import { CliError, EXIT } from "../exit.ts";

export function isCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof ParleyApiError && error.code === code;
}

/** Refusals of a wrong request: the exit code is that of wrong usage. */
const ASKED_WRONGLY = new Set<string>(["agent_not_found", "session_not_found", "invalid", "bad_request", "bad_cursor"]);

/** Makes one clear line of what a server refused; a defect stays what it is. */
export function apiProblem(error: unknown, { credential, dataDir }: Settings): unknown {
  if (isCode(error, "unauthorized") && error instanceof ParleyApiError) {
    const tried = credential ? "the token that was given" : `the token in ${dataDir}`;
    return new CliError(
      `the running server does not accept ${tried}: it was started with another one; give that as PARLEY_TOKEN`,
      EXIT.failed,
      error,
    );
  }
  if (error instanceof ParleyApiError) {
    const code = ASKED_WRONGLY.has(error.code) ? EXIT.usage : EXIT.failed;
    return new CliError(error.detail || error.message, code, error);
  }
  return error instanceof ParleyConnectionError ? new CliError(error.message, EXIT.failed, error) : error;
}
