import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import { messageOf, ParleyError } from "../../core/errors.ts";
import { isAnswered, MOVED_HEADER, passedHeaders } from "./hop.ts";

/** The node that a request is passed on to. */
export interface Target {
  node: string;
  address: string;
}

export interface Passed {
  request: IncomingMessage;
  response: ServerResponse;
  /** The request's id. */
  id: string;
  body: Buffer | undefined;
  secret: string;
}

/** How long a node has to take the connection. Its answer may take as long as a turn does. */
const CONNECT_MS = 2_000;

export const requesterOf = (url: URL): typeof httpRequest => (url.protocol === "https:" ? httpsRequest : httpRequest);

export function unreachable({ node }: Target, error: unknown): ParleyError {
  const message = `node ${node} has this and cannot be reached now (${messageOf(error)}): try again soon`;
  return new ParleyError("unavailable", message, { node }, error);
}

/**
 * Passes a request on to another node, and its answer back. Resolves with the address that the session has moved to where that
 * node no longer has it, else with undefined when the answer is written. Rejects where nothing was written.
 */
export function forward(passed: Passed, target: Target): Promise<string | undefined> {
  const { request, response, id, body, secret } = passed;
  if (target.address === "") return Promise.reject(unreachable(target, "it is starting"));
  const url = new URL(request.url ?? "/", target.address);
  return new Promise((resolve, reject) => {
    const upstream = requesterOf(url)(url, {
      method: request.method,
      headers: passedHeaders(request.headers, secret, id, body),
    });
    const timer = setTimeout(() => upstream.destroy(new Error("no connection in time")), CONNECT_MS);
    upstream.on("socket", (socket) => {
      if (!socket.connecting) clearTimeout(timer);
      else socket.once("connect", () => clearTimeout(timer));
    });
    // A client that leaves takes its request along.
    const left = (): void => void upstream.destroy();
    response.once("close", left);
    upstream.on("response", (answer) => {
      const moved = answer.headers[MOVED_HEADER];
      if (typeof moved === "string") {
        answer.resume();
        response.off("close", left);
        resolve(moved);
        return;
      }
      answerWith(response, answer);
      answer.once("close", () => resolve(undefined));
    });
    upstream.on("error", (error) => {
      clearTimeout(timer);
      response.off("close", left);
      if (response.headersSent || response.destroyed) {
        response.destroy();
        resolve(undefined);
      } else reject(unreachable(target, error));
    });
    upstream.end(body);
  });
}

function answerWith(response: ServerResponse, answer: IncomingMessage): void {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !isAnswered(name)) headers[name] = value;
  response.writeHead(answer.statusCode ?? 502, headers);
  response.flushHeaders();
  answer.on("data", (chunk: Buffer) => {
    if (!response.write(chunk)) {
      answer.pause();
      response.once("drain", () => answer.resume());
    }
  });
  answer.once("end", () => response.end());
  // An answer that is cut there is cut here: an end would say that it is whole.
  answer.once("error", () => response.destroy());
  answer.once("aborted", () => response.destroy());
}
