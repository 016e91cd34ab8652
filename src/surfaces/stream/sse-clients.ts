import type { IncomingMessage, ServerResponse } from "node:http";
import type { Counter, Metrics } from "../../core/metrics.ts";
import { commentFrame, type Frame, retryFrame } from "./frame.ts";
import { SseClient, type SseLimits } from "./sse-client.ts";

export interface SseClientsOptions extends SseLimits {
  heartbeatMs: number;
  retryMs: number;
}

/** A client that takes nothing is cut after the second still beat: 45 s at the latest. */
const SSE_DEFAULTS: SseClientsOptions = {
  heartbeatMs: 15_000,
  retryMs: 1_000,
  backlog: 8 * 1024 * 1024,
  highWater: 256 * 1024,
  liveHighWater: 6 * 1024 * 1024,
  stillBeats: 2,
};

const HEADERS = { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" };
const SLOTS = 15;
const HEARTBEAT = commentFrame("hb");

/** Every open event stream of the process. One timer turns a wheel, and each slot of it has its share of the clients. */
export class SseClients {
  readonly #options: SseClientsOptions;
  readonly #slots: Set<SseClient>[] = Array.from({ length: SLOTS }, () => new Set());
  readonly #cuts: Counter;
  readonly #retry: Frame;
  #at = 0;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(metrics: Metrics, options: Partial<SseClientsOptions> = {}) {
    this.#options = { ...SSE_DEFAULTS, ...options };
    this.#retry = retryFrame(this.#options.retryMs);
    metrics.read("gauge", "parley_sse_clients", "Open event streams.", () => this.#size);
    this.#cuts = metrics.counter("parley_sse_cut_total", "Event streams that the server cut, by reason.");
  }

  get size(): number {
    return this.#size;
  }

  /** Begins a stream on a response that nothing was written to. Headers set before stay. */
  open(request: IncomingMessage, response: ServerResponse): SseClient {
    const client = new SseClient(request, response, this.#options, (reason) => this.#cuts.inc({ reason }));
    const { socket } = request;
    response.writeHead(200, HEADERS);
    response.flushHeaders();
    // A response that waits behind another one on the same connection has no socket of its own to write to.
    if (response.socket !== socket || request.method === "HEAD") {
      socket.destroy();
      return client;
    }
    socket.setNoDelay(true);
    socket.setKeepAlive(true, this.#options.heartbeatMs);
    socket.setTimeout(0);
    this.#enter(client);
    if (!client.isHanded) client.write(this.#retry);
    return client;
  }

  /** For shutdown, when the last events are written. */
  destroyAll(): void {
    for (const slot of this.#slots) for (const client of [...slot]) client.cut("shutdown");
  }

  #enter(client: SseClient): void {
    const slot = this.#slots[this.#at];
    slot?.add(client);
    this.#size++;
    this.#timer ??= setInterval(() => this.#turn(), this.#options.heartbeatMs / SLOTS).unref();
    client.onClose(() => {
      slot?.delete(client);
      this.#size--;
      if (this.#size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  #turn(): void {
    this.#at = (this.#at + 1) % SLOTS;
    for (const client of [...(this.#slots[this.#at] ?? [])]) client.beat(HEARTBEAT);
  }
}
