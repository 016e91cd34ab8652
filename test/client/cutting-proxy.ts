import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** How a connection is cut: after how many bytes of responses, and in which way. */
export interface Fate {
  bytes: number;
  how: "fin" | "reset";
}

export interface CuttingProxy {
  url: string;
  /** Connections that were cut. */
  readonly cuts: number;
  /** Open connections whose first request begins with this line. */
  open(line: string): number;
  /** From now on nothing is cut. */
  heal(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const UNHURT: Fate = { bytes: Number.POSITIVE_INFINITY, how: "fin" };

/** Passes bytes to a port on this machine and back, and cuts connections in the middle of answers, as their fate says. */
export async function startProxy(port: number, fateOf: (connection: number) => Fate = () => UNHURT) {
  const pairs = new Map<Socket, { upstream: Socket; line: string }>();
  let count = 0;
  let cuts = 0;
  let healed = false;

  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    const pair = { upstream, line: "" };
    const fate = healed ? UNHURT : fateOf(count++);
    let left = fate.bytes;
    pairs.set(client, pair);
    const end = (): void => {
      pairs.delete(client);
      client.destroy();
      upstream.destroy();
    };
    const cut = (): void => {
      cuts++;
      if (fate.how === "reset") client.resetAndDestroy();
      else client.end(end);
      upstream.destroy();
    };
    client.on("data", (chunk) => {
      pair.line ||= chunk.toString("latin1").split("\r\n", 1)[0] ?? "";
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      const passing = chunk.subarray(0, Math.max(0, left));
      left -= chunk.length;
      if (left > 0 || healed) {
        if (!client.write(chunk)) upstream.pause();
        return;
      }
      upstream.removeAllListeners("data");
      if (passing.length > 0) client.write(passing, cut);
      else cut();
    });
    client.on("drain", () => upstream.resume());
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts;
    },
    open: (line) => [...pairs.values()].filter((pair) => pair.line.startsWith(line)).length,
    heal() {
      healed = true;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const [client, { upstream }] of pairs) {
        client.destroy();
        upstream.destroy();
      }
      await closed;
    },
  };
  return proxy;
}
