import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** Whether bytes of a client are the ones that something is to happen to. */
export type Match = (bytes: Buffer) => boolean;

export const says =
  (text: string): Match =>
  (bytes) =>
    bytes.includes(text);

interface Link {
  client: Socket;
  server: Socket;
  /** Replies are dropped, and the first one cuts the connection. */
  losing: boolean;
}

/** A request that was taken from its client. */
export interface Stray {
  /** Gives it to the server at last, and resolves with the first bytes of the answer. */
  deliver(): Promise<Buffer>;
}

/** Stands between a program and a server, and does what networks do. */
export class TcpProxy {
  /** Connections so far. */
  opened = 0;
  /** Answers that were lost so far. */
  lost = 0;
  #target: { host: string; port: number };
  readonly #links = new Set<Link>();
  readonly #server = createServer({ allowHalfOpen: false }, (client) => this.#take(client));
  #refusing = false;
  #holes = { toServer: false, toClient: false };
  #delayMs = 0;
  #lose: Match | undefined;
  #stray: { match: Match; caught(stray: Stray): void } | undefined;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
  }

  static async start(port: number, host = "127.0.0.1"): Promise<TcpProxy> {
    const proxy = new TcpProxy({ host, port });
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections now. */
  get open(): number {
    return this.#links.size;
  }

  /** New connections go to another port: the server was started again. */
  leadTo(port: number): void {
    this.#target = { ...this.#target, port };
  }

  /** Ends all connections; new ones are let through. */
  cut(): void {
    for (const link of this.#links) this.#end(link);
  }

  /** Ends all connections and every new one. */
  refuse(): void {
    this.#refusing = true;
    this.cut();
  }

  /** Lets nothing through in one direction or both, and says nothing: bytes wait until it is healed. */
  blackHole({ toServer = true, toClient = true } = {}): void {
    this.#holes = { toServer, toClient };
    for (const { client, server } of this.#links) {
      if (toServer) client.pause();
      if (toClient) server.pause();
    }
  }

  /** Every piece comes so much later. */
  slow(ms: number): void {
    this.#delayMs = ms;
  }

  /** Lets everything through again. */
  heal(): void {
    this.#refusing = false;
    this.#holes = { toServer: false, toClient: false };
    this.#delayMs = 0;
    this.#lose = undefined;
    for (const { client, server } of this.#links) {
      client.resume();
      server.resume();
    }
  }

  /** The next request that matches reaches the server; its answer does not come back, and the connection is cut. */
  loseAnswer(match: Match): void {
    this.#lose = match;
  }

  /** The next request that matches is taken away from its client, whose connection is cut. */
  takeRequest(match: Match): Promise<Stray> {
    return new Promise((resolve) => {
      this.#stray = { match, caught: resolve };
    });
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #take(client: Socket): void {
    client.on("error", () => client.destroy());
    if (this.#refusing) return void client.destroy();
    this.opened += 1;
    const server = connect(this.#target);
    const link: Link = { client, server, losing: false };
    this.#links.add(link);
    server.on("error", () => this.#end(link));
    server.on("close", () => this.#end(link));
    client.on("close", () => this.#end(link));
    client.setNoDelay(true);
    server.setNoDelay(true);
    client.on("data", (bytes) => this.#toServer(link, bytes));
    server.on("data", (bytes) => this.#toClient(link, bytes));
    if (this.#holes.toServer) client.pause();
    if (this.#holes.toClient) server.pause();
  }

  #toServer(link: Link, bytes: Buffer): void {
    if (this.#stray?.match(bytes)) {
      const { caught } = this.#stray;
      this.#stray = undefined;
      this.#links.delete(link);
      link.client.removeAllListeners("close").destroy();
      link.server.removeAllListeners("data").removeAllListeners("close").pause();
      caught({ deliver: () => deliver(link.server, bytes) });
      return;
    }
    if (this.#lose?.(bytes)) {
      this.#lose = undefined;
      link.losing = true;
    }
    this.#pass(link.server, bytes);
  }

  #toClient(link: Link, bytes: Buffer): void {
    if (!link.losing) return this.#pass(link.client, bytes);
    this.lost += 1;
    this.#end(link);
  }

  #pass(to: Socket, bytes: Buffer): void {
    if (this.#delayMs === 0) to.write(bytes);
    else void delay(this.#delayMs).then(() => to.destroyed || to.write(bytes));
  }

  #end(link: Link): void {
    this.#links.delete(link);
    link.client.destroy();
    link.server.destroy();
  }
}

async function deliver(server: Socket, bytes: Buffer): Promise<Buffer> {
  server.resume();
  const answered = once(server, "data") as Promise<[Buffer]>;
  server.write(bytes);
  const [answer] = await answered;
  server.destroy();
  return answer;
}
