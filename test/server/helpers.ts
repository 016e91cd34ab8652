import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { LogFields, Logger } from "../../src/core/logger.ts";
import { createMetrics, type Metrics } from "../../src/core/metrics.ts";
import { createListener, type HttpListener, type ListenerOptions } from "../../src/server/http/listener.ts";
import type { Mount } from "../../src/server/http/mounts.ts";
import type { Handler } from "../../src/server/http/request-context.ts";

export const TOKEN = "test-token-0123456789-abcdefghijklmnop";

export interface LoggedLine {
  level: string;
  fields: LogFields;
  message: string;
}

/** A logger that keeps what it is told. */
export function memoryLogger(lines: LoggedLine[] = [], bound: LogFields = {}): Logger & { lines: LoggedLine[] } {
  const log = (level: string) => (fields: LogFields, message: string) => {
    lines.push({ level, fields: { ...bound, ...fields }, message });
  };
  return {
    lines,
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    child: (fields) => memoryLogger(lines, { ...bound, ...fields }),
  };
}

export function mountAll(handler: Handler): Mount {
  return { match: () => true, load: () => Promise.resolve(handler) };
}

export interface TestServer {
  port: number;
  listener: HttpListener;
  metrics: Metrics;
  lines: LoggedLine[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startServer(options: Partial<ListenerOptions> = {}): Promise<TestServer> {
  const log = memoryLogger();
  const metrics = createMetrics();
  const listener = createListener({
    host: "127.0.0.1",
    port: 0,
    token: TOKEN,
    mounts: [],
    ready: () => Promise.resolve(),
    metrics,
    log,
    ...options,
  });
  const { port } = await listener.listen();
  return { port, listener, metrics, lines: log.lines, [Symbol.asyncDispose]: () => listener.close(0) };
}

export interface Answer {
  status: number;
  headers: Map<string, string>;
  body: string;
  text: string;
}

export function parseAnswer(text: string): Answer {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(":")).toLowerCase();
    const value = line.slice(line.indexOf(":") + 1).trim();
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
  }
  return { status: Number(first.split(" ")[1]), headers, body: rest.join("\r\n\r\n"), text };
}

export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Resolves when the connection is gone, in whatever way. */
export function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** Sends bytes as they are and reads until the server closes. Lines of the head are given without their ends. */
export async function exchange(port: number, head: readonly string[], body: string | Buffer = ""): Promise<Answer> {
  const socket = await connected(port);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  if (body.length > 0) socket.write(body);
  await closing(socket);
  return parseAnswer(Buffer.concat(chunks).toString("utf8"));
}

/** A request with the usual headers, the token among them, unless other ones are given. */
export function request(port: number, line: string, headers: Record<string, string> = {}, body = ""): Promise<Answer> {
  const all: Record<string, string> = { host: `127.0.0.1:${port}`, authorization: `Bearer ${TOKEN}`, ...headers };
  if (body !== "") all["content-length"] ??= String(Buffer.byteLength(body));
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return exchange(port, [`${line} HTTP/1.1`, ...lines, "connection: close"], body);
}
