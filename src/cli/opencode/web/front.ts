import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { tokenVerifier } from "../../../server/guards/auth.ts";
import { systemCodeOf } from "../../exit.ts";
import type { Pages } from "./pages.ts";

/** A port of its own that stays the same: a browser keeps the page's settings by its address. */
const PORT = 7421;
const KEY = "key";

/** The files of the page. Everything else that is no page is a request of Parley's API. */
const FILE = /^\/(?:assets\/[\w.-]+|[\w-]+\.(?:png|svg|ico|webmanifest|js|css|woff2?|txt))$/;

export interface FrontOptions {
  pages: Pick<Pages, "url" | "authorization">;
  api: { url: string; token?: string };
}

export interface Front {
  /** The address of the page for a directory. It holds the key by which a browser gets in. */
  address(directory: string): string;
  close(): Promise<void>;
}

function isPage({ method, headers }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && (headers.accept ?? "").includes("text/html");
}

function cookieOf({ cookie = "" }: IncomingHttpHeaders, name: string): string | undefined {
  const pairs = cookie.split(";").map((pair) => pair.trim().split("=", 2));
  return pairs.find(([key]) => key === name)?.[1];
}

/** The headers for Parley: a browser that has shown the key is let in with the token, which it never learns. */
function forwarded(headers: IncomingHttpHeaders, known: boolean, token: string | undefined): IncomingHttpHeaders {
  const { cookie, ...rest } = headers;
  return known && token !== undefined && rest.authorization === undefined
    ? { ...rest, authorization: `Bearer ${token}` }
    : rest;
}

function pass(url: string, headers: IncomingHttpHeaders, incoming: IncomingMessage, answer: ServerResponse): void {
  if (!URL.canParse(url)) return void answer.writeHead(400).end();
  const outgoing = request(url, { method: incoming.method ?? "GET", headers }, (received) => {
    answer.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(answer);
    // A stream that breaks must break for the page, too, or it would never come back.
    received.on("error", () => answer.destroy());
  });
  outgoing.on("error", () => answer.destroy());
  answer.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** Passes a WebSocket on as it is, but for the credentials. */
function passUpgrade(api: string, headers: IncomingHttpHeaders, incoming: IncomingMessage, socket: Duplex): void {
  const { hostname, port } = new URL(api);
  const upstream = connect(Number(port), hostname.replace(/^\[|\]$/g, ""), () => {
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one) => `${name}: ${one}`),
    );
    upstream.write([`${incoming.method} ${incoming.url} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
    upstream.pipe(socket);
    socket.pipe(upstream);
  });
  for (const [one, other] of [[socket, upstream] as const, [upstream, socket] as const]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
}

/** Serves OpenCode's web page, and passes everything else on to Parley: both under one address of this machine. */
export async function startFront({ pages, api }: FrontOptions): Promise<Front> {
  const key = randomBytes(24).toString("base64url");
  const isKey = tokenVerifier(key);
  const server = createServer();
  const portOf = (): number => (server.address() as AddressInfo).port;
  // Cookies are shared by all ports of a machine.
  const cookieName = (): string => `parley_web_${portOf()}`;
  const isKnown = (headers: IncomingHttpHeaders): boolean => isKey(cookieOf(headers, cookieName()) ?? "");

  function letIn(path: string, query: URLSearchParams, answer: ServerResponse): void {
    query.delete(KEY);
    const cookie = `${cookieName()}=${key}; Path=/; HttpOnly; SameSite=Strict`;
    // Two slashes would lead to another machine.
    const location = `${path.replace(/^\/+/, "/")}${query.size > 0 ? `?${query}` : ""}`;
    answer.writeHead(302, { location, "set-cookie": cookie, "cache-control": "no-store" }).end();
  }

  server.on("request", (incoming, answer) => {
    const { headers, method, url = "/" } = incoming;
    const [path = "/", search = ""] = url.split("?", 2);
    const own = { authorization: pages.authorization, accept: headers.accept };
    if (isPage(incoming)) {
      const query = new URLSearchParams(search);
      if (isKey(query.get(KEY) ?? "")) return letIn(path, query, answer);
      // One page for all paths: no path of a browser reaches anything else of that server.
      return pass(`${pages.url}/`, own, incoming, answer);
    }
    if (method === "GET" && FILE.test(path)) return pass(`${pages.url}${path}`, own, incoming, answer);
    pass(`${api.url}${url}`, forwarded(headers, isKnown(headers), api.token), incoming, answer);
  });
  server.on("upgrade", (incoming, socket) =>
    passUpgrade(api.url, forwarded(incoming.headers, isKnown(incoming.headers), api.token), incoming, socket),
  );

  await listen(server, PORT);
  return {
    address: (directory) =>
      `http://127.0.0.1:${portOf()}/${Buffer.from(directory).toString("base64url")}/session?${KEY}=${key}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Listens on the port, or on any that is free where another program has it. */
async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (port === 0 || systemCodeOf(error) !== "EADDRINUSE") throw error;
    await listen(server, 0);
  }
}
