import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Requests for the page itself; every other request is for the server that it drives. */
const OF_THE_PAGE = /^\/(assets\/|favicon|apple-touch-icon|social-share|site\.webmanifest)/;

export interface WebUi {
  url: string;
  /** The address of the page for a directory: its newest session, or a new one. */
  page(directory: string, session?: string): string;
  [Symbol.asyncDispose](): Promise<void>;
}

function pass(target: string, incoming: IncomingMessage, answer: ServerResponse): void {
  // The page's own name stays on it: the server must see that page and server are of one origin.
  const { method, headers } = incoming;
  const outgoing = request(`${target}${incoming.url}`, { method, headers }, (received) => {
    answer.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(answer);
    // A stream that breaks must break for the page too, or it would never come back.
    received.on("error", () => answer.destroy());
  });
  outgoing.on("error", () => answer.destroy());
  answer.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** OpenCode's own web page, as its server `pages` serves it, driving another server: both under one address. */
export async function startWebUi({ pages, api }: { pages: string; api: string }): Promise<WebUi> {
  const server = createServer((incoming, answer) => {
    const page = OF_THE_PAGE.test(incoming.url ?? "") || (incoming.headers.accept ?? "").includes("text/html");
    pass(page ? pages : api, incoming, answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    page: (directory, session) =>
      `${url}/${Buffer.from(directory).toString("base64url")}/session${session === undefined ? "" : `/${session}`}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
