import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "../random.ts";
import { type Act, CALM, type Fault, FrameFaults, type Rates } from "./faults.ts";

/** A frame that was held back comes after this time, whatever else comes. */
const HELD_MS = 50;
const LATEST_MS = 200;
const BETWEEN_SEEDS = 7_919;

export interface ChaosOptions {
  /** The server behind it. */
  target: string;
  seed: number;
  rates: Rates;
  /** The paths of event streams; all else is passed on as it is. */
  streams?: readonly string[];
}

/** Passes requests to a server of this machine, and does to its event streams all that a network can do. */
export class ChaosProxy {
  readonly seed: number;
  /** Faults so far. */
  readonly faults: Partial<Record<Fault, number>> = {};
  /** Event streams that clients opened so far. */
  opened = 0;
  #rates: Rates;
  readonly #target: URL;
  readonly #streams: readonly string[];
  readonly #random: Random;
  readonly #server = createServer((asked, answer) => {
    void this.#serve(asked, answer).catch(() => answer.destroy());
  });
  readonly #open = new Set<ServerResponse>();

  private constructor({ target, seed, rates, streams = ["/event", "/global/event"] }: ChaosOptions) {
    this.seed = seed;
    this.#rates = rates;
    this.#target = new URL(target);
    this.#streams = streams;
    this.#random = new Random(seed);
  }

  static async start(options: ChaosOptions): Promise<ChaosProxy> {
    const proxy = new ChaosProxy(options);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on nothing goes wrong, but for connections that are silent already. */
  calm(): void {
    this.#rates = CALM;
  }

  /** Breaks every open event stream. */
  cut(): number {
    const open = [...this.#open];
    for (const answer of open) answer.socket?.resetAndDestroy();
    return open.length;
  }

  /** For the message of a test that failed. */
  toString(): string {
    const faults = Object.entries(this.faults).map(([fault, count]) => `${count} ${fault}`);
    return `PARLEY_SEED=${this.seed}: ${this.opened} streams, ${faults.join(", ") || "no faults"}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #tell(fault: Fault): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
  }

  async #serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const path = asked.url?.split("?", 1)[0] ?? "";
    const isStream = asked.method === "GET" && this.#streams.includes(path);
    if (!isStream && (await this.#refused(asked, answer))) return;
    // The client went meanwhile: the request would never end, and the server of OpenCode takes no connection without one.
    if (answer.destroyed) return;
    const response = await this.#ask(asked, answer);
    if (!isStream || !response.headers["content-type"]?.startsWith("text/event-stream")) {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
      response.on("error", () => answer.destroy());
      return;
    }
    const random = new Random(this.seed + ++this.opened * BETWEEN_SEEDS);
    this.#open.add(answer);
    answer.on("close", () => this.#open.delete(answer));
    answer.writeHead(200, response.headers);
    answer.flushHeaders();
    await this.#stream(response, answer, random);
  }

  /** Only requests that change nothing are refused, so that the server's state is never in doubt. */
  async #refused(asked: IncomingMessage, answer: ServerResponse): Promise<boolean> {
    const { late, refuse } = this.#rates;
    if (this.#random.chance(late)) {
      this.#tell("late");
      await delay(this.#random.between(1, LATEST_MS));
    }
    if (asked.method !== "GET" || !this.#random.chance(refuse)) return false;
    this.#tell("refuse");
    if (this.#random.chance(0.5)) answer.socket?.resetAndDestroy();
    else answer.writeHead(502, { "content-type": "text/plain" }).end("bad gateway");
    return true;
  }

  #ask(asked: IncomingMessage, answer: ServerResponse): Promise<IncomingMessage> {
    const { hostname, port } = this.#target;
    return new Promise((resolve, reject) => {
      const options = { hostname, port, method: asked.method, path: asked.url, headers: asked.headers, agent: false };
      const sent = request(options, resolve).on("error", (error) => {
        answer.destroy();
        reject(error);
      });
      answer.on("close", () => sent.destroy());
      asked.pipe(sent);
    });
  }

  async #stream(from: IncomingMessage, to: ServerResponse, random: Random): Promise<void> {
    const faults = new FrameFaults(
      random,
      () => this.#rates,
      (fault) => this.#tell(fault),
    );
    let isOver = false;
    let work = Promise.resolve();
    const then = (acts: () => Act[]): void => {
      work = work.then(async () => {
        for (const act of isOver ? [] : acts()) {
          isOver = (await perform(act, to)) || isOver;
          if (isOver) return;
        }
      });
    };
    const timer = setInterval(() => faults.holds && then(() => faults.flush()), HELD_MS);
    const text = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        const frames = (rest + text.decode(chunk, { stream: true })).split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames) then(() => faults.take(`${frame}\n\n`));
      }
    } catch {
      // The server is gone, or the client is.
    } finally {
      clearInterval(timer);
    }
    await work;
    if (isOver) return;
    if (from.complete) to.end();
    else to.destroy();
  }
}

/** True when nothing more is to come on this connection. */
async function perform(act: Act, to: ServerResponse): Promise<boolean> {
  switch (act.do) {
    case "write":
      to.write(act.text);
      return false;
    case "pause":
      await delay(act.ms);
      return false;
    case "silence":
      return true;
    case "cut":
      // The written part is sent before the connection breaks.
      if (act.before !== "") await new Promise((resolve) => to.write(act.before, resolve));
      if (act.how === "end") to.end();
      else to.socket?.resetAndDestroy();
      return true;
  }
}
