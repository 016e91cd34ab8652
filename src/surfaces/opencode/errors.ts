import { isParleyError, type ParleyError } from "../../core/errors.ts";

/** A refusal in one of OpenCode's own forms. */
export class OpencodeError extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Record<string, unknown>, message: string) {
    super(message);
    this.name = "OpencodeError";
    this.status = status;
    this.body = body;
  }
}

/** The older form, which most of the API has. */
export function named(
  status: number,
  name: string,
  message: string,
  more: Record<string, unknown> = {},
): OpencodeError {
  return new OpencodeError(status, { name, data: { message, ...more } }, message);
}

/** The newer form, with the facts beside the message. */
export function tagged(
  status: number,
  tag: string,
  message: string,
  more: Record<string, unknown> = {},
): OpencodeError {
  return new OpencodeError(status, { _tag: tag, ...more, message }, message);
}

export function notFound(message: string): OpencodeError {
  return named(404, "NotFoundError", message);
}

export function badRequest(message: string, kind: "Payload" | "Query" | "Path" = "Payload"): OpencodeError {
  return named(400, "BadRequest", message, { kind });
}

/** Refuses an operation that has no meaning here; the message says what to do instead. */
export function unsupported(message: string): OpencodeError {
  return named(501, "NotSupportedError", message);
}

export type ErrorAnswer = Pick<OpencodeError, "status" | "body" | "message">;

/** Any error in the form of the older half of the API. */
export function namedAnswer(thrown: unknown): ErrorAnswer {
  if (thrown instanceof OpencodeError) return thrown;
  if (!isParleyError(thrown)) {
    return named(500, "UnknownError", "this is a defect of Parley; its log has more");
  }
  return fromParley(thrown);
}

function fromParley(error: ParleyError): OpencodeError {
  const { status, message, code } = error;
  if (status === 404) return notFound(message);
  if (status === 400 || status === 422) return badRequest(message);
  if (code === "unsupported") return unsupported(message);
  if (code === "forbidden") return named(403, "ForbiddenError", message, error.details);
  if (code === "ambiguous") return named(status, "UnknownError", message, { code, ...error.details });
  if (code === "busy") return tagged(409, "SessionBusyError", message);
  return named(status, "UnknownError", message, { code });
}
