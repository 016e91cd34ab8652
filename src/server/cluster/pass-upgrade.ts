import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { requesterOf, type Target, unreachable } from "./forward.ts";
import { passedHeaders } from "./hop.ts";

export interface PassedUpgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  /** The request's id. */
  id: string;
  secret: string;
}

/** How long a node has to answer an upgrade. */
const ANSWER_MS = 10_000;

/** The headers of the upgrade itself, which concern both ends of it. */
function upgradeHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith("sec-websocket-"));
  return { ...(Object.fromEntries(own) as Record<string, string>), connection: "Upgrade", upgrade: "websocket" };
}

/** An answer's first lines, as they came. */
function linesOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Joins two sockets: what one says the other hears, and the end of one is the end of both. */
function join(one: Duplex, other: Duplex): void {
  one.pipe(other);
  other.pipe(one);
  for (const [socket, far] of [
    [one, other],
    [other, one],
  ] as const) {
    socket.on("error", () => far.destroy());
    socket.once("close", () => far.destroy());
  }
}

/** Passes an upgrade on to another node, bytes and all. Rejects where that node cannot be reached. */
export function passUpgrade({ request, socket, head, id, secret }: PassedUpgrade, target: Target): Promise<void> {
  const url = new URL(request.url ?? "/", target.address);
  return new Promise((resolve, reject) => {
    const upstream = requesterOf(url)(url, {
      headers: { ...passedHeaders(request.headers, secret, id, undefined), ...upgradeHeaders(request) },
      // A socket of the common pool would not be given up.
      agent: false,
    });
    const timer = setTimeout(() => upstream.destroy(new Error("no answer in time")), ANSWER_MS);
    const left = (): void => void upstream.destroy();
    socket.once("close", left);
    const answered = (answer: IncomingMessage): void => {
      clearTimeout(timer);
      socket.off("close", left);
      socket.write(linesOf(answer));
      resolve();
    };
    upstream.on("upgrade", (answer, far, more) => {
      answered(answer);
      if (more.length > 0) socket.write(more);
      if (head.length > 0) far.write(head);
      join(socket, far);
    });
    // A refusal is short, and its length is told.
    upstream.on("response", (answer) => {
      answered(answer);
      answer.pipe(socket);
    });
    upstream.on("error", (error) => {
      clearTimeout(timer);
      reject(unreachable(target, error));
    });
    upstream.end();
  });
}
