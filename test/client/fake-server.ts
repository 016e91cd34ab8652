import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeServer {
  url: string;
  /** Every request so far. */
  requests: IncomingMessage[];
  [Symbol.asyncDispose](): Promise<void>;
}

export type Handler = (response: ServerResponse, request: IncomingMessage, index: number) => void;

/** A server that says what a test wants, also what Parley never would. */
export async function startFake(handler: Handler): Promise<FakeServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(response, request, requests.length - 1);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function stream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  return response;
}

/** An event of the session ses_fake as the server writes it. */
export function frame(seq: number, fields: Record<string, unknown> = {}): string {
  const id = `ses_fake:${seq}`;
  const event = { id, seq, session: "ses_fake", time: 0, source: "parley", type: "session.note", data: {}, ...fields };
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function problem(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}) {
  const body = { type: `urn:parley:error:${code}`, title: code, status, detail: `this is ${code}`, code };
  response.writeHead(status, { "content-type": "application/problem+json", ...headers }).end(JSON.stringify(body));
}
