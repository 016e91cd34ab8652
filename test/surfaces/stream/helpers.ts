import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createMetrics, type Metrics } from "../../../src/core/metrics.ts";
import type { SseClient } from "../../../src/surfaces/stream/sse-client.ts";
import { SseClients, type SseClientsOptions } from "../../../src/surfaces/stream/sse-clients.ts";

export interface StreamServer {
  port: number;
  streams: SseClients;
  metrics: Metrics;
  /** The server's end of the next stream that is opened. */
  next(): Promise<SseClient>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startStreams(options: Partial<SseClientsOptions> = {}): Promise<StreamServer> {
  const metrics = createMetrics();
  const streams = new SseClients(metrics, options);
  const waiting: ((client: SseClient) => void)[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const client = streams.open(request, response);
    waiting.shift()?.(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    streams,
    metrics,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A client that reads what it is told to. */
export class Reader {
  readonly socket: Socket;
  text = "";
  closed = false;

  constructor(port: number, version = "1.1") {
    this.socket = connect(port, "127.0.0.1");
    this.socket.setEncoding("utf8");
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.closed = true;
    });
    this.socket.write(`GET / HTTP/${version}\r\nhost: localhost\r\n\r\n`);
  }

  read(): this {
    this.socket.on("data", (text: string) => {
      this.text += text;
    });
    return this;
  }

  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) {
      if (this.closed) throw new Error(`closed without ${part}: ${this.text.slice(-200)}`);
      await once(this.socket, "data");
    }
  }

  end(): Promise<void> {
    return this.closed ? Promise.resolve() : new Promise((resolve) => this.socket.once("close", () => resolve()));
  }

  /** The content of the body's chunks. */
  body(): string {
    const raw = Buffer.from(this.text.slice(this.text.indexOf("\r\n\r\n") + 4));
    let out = "";
    for (let at = 0; at < raw.length; ) {
      const end = raw.indexOf("\r\n", at);
      const size = Number.parseInt(raw.toString("latin1", at, end), 16);
      out += raw.toString("utf8", end + 2, end + 2 + size);
      at = end + 2 + size + 2;
    }
    return out;
  }
}
