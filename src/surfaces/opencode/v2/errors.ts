import { isParleyError, type ParleyError } from "../../../core/errors.ts";
import { percentDecoded } from "../../../core/percent.ts";
import { type ErrorAnswer, namedAnswer, OpencodeError, tagged } from "../errors.ts";

const SESSION_IN_PATH = /^\/api\/session\/([^/]+)/;

function fromParley({ code, status, message }: ParleyError, path: string): ErrorAnswer | undefined {
  const session = percentDecoded(SESSION_IN_PATH.exec(path)?.[1] ?? "");
  if (code === "session_not_found") return tagged(404, "SessionNotFoundError", message, { sessionID: session });
  if (status === 422 || status === 400) return tagged(400, "InvalidRequestError", message);
  if (status === 409) return tagged(409, "ConflictError", message);
  if (status === 503) return tagged(503, "ServiceUnavailableError", message);
  return undefined;
}

/** The older form's names, where the newer one has others. */
const TAGS: Readonly<Record<string, string>> = { BadRequest: "InvalidRequestError" };

/** Any error in the form of the newer half of the API: its facts beside the message. */
export function taggedAnswer(thrown: unknown, path: string): ErrorAnswer {
  const known = isParleyError(thrown) ? fromParley(thrown, path) : undefined;
  if (known) return known;
  if (thrown instanceof OpencodeError && "_tag" in thrown.body) return thrown;
  const { status, body } = namedAnswer(thrown);
  const { name, data } = body as { name: string; data: { message: string } };
  const { message, ...more } = data;
  return tagged(status, TAGS[name] ?? name, message, more);
}
