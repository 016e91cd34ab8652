import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { deadline, PATIENCE_MS } from "../time.ts";

export interface CuttingProxy {
  url: string;
  /** Requests that began with this, so far. */
  seen(request: string): number;
  /** Open connections whose newest request began with this. */
  open(request: string): number;
  /** Resolves when so many requests began with this. */
  until(request: string, count: number, withinMs?: number): Promise<void>;
  /** Drops every open connection whose newest request began with this; all of them if nothing is said. */
  cut(request?: string): number;
  /** While refusing, whoever connects is dropped at once. */
  refuse(refusing: boolean): void;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Pair {
  client: Socket;
  upstream: Socket;
  /** The newest one. */
  request: string;
}

/** Passes bytes to a server of this machine and back, until it is told to drop them. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<Pair>();
  const seen: string[] = [];
  const watchers = new Set<() => void>();
  let refusing = false;

  const server = createServer((client) => {
    client.on("error", () => {});
    if (refusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    const pair: Pair = { client, upstream, request: "" };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    // Clients use a connection again: what it carries is its newest request, which begins a chunk.
    client.on("data", (chunk: Buffer) => {
      const [, request] = /^([A-Z]+ \S+) HTTP\/1/.exec(chunk.toString("latin1")) ?? [];
      if (request === undefined) return;
      pair.request = request;
      seen.push(request);
      for (const look of [...watchers]) look();
    });
    client.pipe(upstream);
    upstream.pipe(client);
    upstream.on("error", end).on("close", end);
    client.on("close", end);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const count = (request: string): number => seen.filter((one) => one.startsWith(request)).length;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: count,
    open: (request) => [...pairs].filter((pair) => pair.request.startsWith(request)).length,
    until(request, wanted, withinMs = PATIENCE_MS) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          if (count(request) < wanted) return;
          late[Symbol.dispose]();
          watchers.delete(look);
          resolve();
        };
        const late = deadline(() => {
          watchers.delete(look);
          reject(new Error(`expected ${wanted} of "${request}" within ${withinMs} ms, got: ${seen.join(", ")}`));
        }, withinMs);
        watchers.add(look);
        look();
      });
    },
    cut(request = "") {
      const chosen = [...pairs].filter((pair) => pair.request.startsWith(request));
      for (const { client, upstream } of chosen) {
        client.resetAndDestroy();
        upstream.destroy();
      }
      return chosen.length;
    },
    refuse(yes) {
      refusing = yes;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const { client, upstream } of pairs) {
        client.destroy();
        upstream.destroy();
      }
      await closed;
    },
  };
}
