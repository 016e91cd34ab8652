import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ParleyError } from "../../core/errors.ts";
import { present } from "../../core/json/fields.ts";
import { PROBLEM_TYPE, problemOf } from "../../core/problem.ts";
import type { ResponseHeaders } from "../guards/admission.ts";
import { hasBody } from "../guards/content-type.ts";

/** How long a refused sender may go on sending before it is cut off. */
const LINGER_MS = 1_000;

/** A refusal that is about to pass says when the same request may be made again. */
function retryLater({ status }: ParleyError): Record<string, string> {
  return status === 503 ? { "retry-after": "1" } : {};
}

export function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text), ...more });
  response.end(response.req.method === "HEAD" ? undefined : text);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, "application/json", JSON.stringify(value));
}

/**
 * Answers with an error. A sender that is not done yet hears the answer first and is cut off later: closing at once
 * would reset the connection and could take the answer with it.
 */
export function sendProblem(response: ServerResponse, error: ParleyError, id: string): void {
  const { req } = response;
  const text = JSON.stringify(problemOf(error, id));
  if (req.complete || !hasBody(req.headers)) {
    sendText(response, error.status, PROBLEM_TYPE, text, retryLater(error));
    return;
  }
  const length = Buffer.byteLength(text);
  response.writeHead(error.status, { "content-type": PROBLEM_TYPE, "content-length": length, connection: "close" });
  response.write(text);
  const done = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(done, LINGER_MS);
  req.once("end", done).once("close", done).resume();
}

/** A whole answer as bytes, for a socket that has no response object: failed parsing, refused upgrades. */
export function rawProblem(error: ParleyError, id: string | undefined, headers: ResponseHeaders = {}): string {
  const text = JSON.stringify(problemOf(error, id));
  const { STATUS_CODES } = process.getBuiltinModule("node:http");
  const lines = [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? "Error"}`];
  const length = String(Buffer.byteLength(text));
  const own = { "content-type": PROBLEM_TYPE, "content-length": length, connection: "close" };
  const all: ResponseHeaders = { ...headers, ...own, ...present({ "x-request-id": id }) };
  for (const [name, value] of Object.entries(all)) {
    for (const one of Array.isArray(value) ? value : [value]) lines.push(`${name}: ${one}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}

export function endSocket(socket: Duplex, answer: string): void {
  socket.end(answer, () => socket.destroy());
}
