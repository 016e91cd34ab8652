import type { Duplex } from "node:stream";
import { ParleyError } from "../../core/errors.ts";
import { endSocket, rawProblem } from "./respond.ts";

/** An error of the HTTP parser as an error of Parley. Node's own answer would have no body. */
export function parseFailure(code: string | undefined): ParleyError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new ParleyError("headers_too_large", "expected at most 16 KiB of headers, got more: send fewer");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ParleyError(
        "request_timeout",
        "expected the whole request within its time, got a part: send it faster",
      );
    default:
      return new ParleyError("bad_request", `expected an HTTP/1.1 request, got something else (${code ?? "unknown"})`);
  }
}

/** `busy`: a response is under way on this socket, and a second answer would run into it. */
export function answerClientError(error: Error & { code?: string }, socket: Duplex, busy: boolean): void {
  if (busy || error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  endSocket(socket, rawProblem(parseFailure(error.code), undefined));
}
