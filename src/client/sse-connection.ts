import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { ParleyEvent } from "../core/events/event.ts";
import type { Handed } from "../core/handover.ts";
import { ParleyConnectionError, ParleyProtocolError, reasonOf } from "./errors.ts";
import type { EventHandover } from "./handover.ts";
import type { Call, Transport } from "./transport.ts";
import { Watch } from "./watch.ts";

/** The messages of one read. */
export interface Batch {
  messages: EventSourceMessage[];
  /** Events that a server in the same process has handed over. */
  handed?: readonly ParleyEvent[];
  /** An event or a heartbeat came: the stream is healthy. */
  alive: boolean;
  /** How long the server wants a client to wait before it comes back. */
  retryMs?: number;
}

/** One connection to an event stream. It reads when it is asked to, so that a slow consumer slows the server down. */
export class SseConnection {
  readonly #transport: Transport;
  readonly #call: Call;
  readonly #watch: Watch;
  readonly #decoder = new TextDecoder();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #batch: Batch = { messages: [], alive: false };
  readonly #parser = createParser({
    onEvent: (message) => {
      this.#batch.messages.push(message);
      this.#batch.alive = true;
    },
    onComment: () => {
      this.#batch.alive = true;
    },
    onRetry: (ms) => {
      this.#batch.retryMs = ms;
    },
  });

  constructor(transport: Transport, call: Call, silenceMs: number) {
    this.#transport = transport;
    this.#call = call;
    this.#watch = new Watch(silenceMs, call.signal);
  }

  async open(): Promise<void> {
    const response = await this.#transport.open(this.#call, this.#watch);
    const type = response.headers.get("content-type") ?? "nothing";
    if (!type.startsWith("text/event-stream") || !response.body) {
      const what = this.#transport.nameOf(this.#call);
      throw new ParleyProtocolError(`${what} answered with ${type}, expected text/event-stream: check the address`);
    }
    this.#reader = response.body.getReader();
  }

  /** A stream never ends by itself: an end is a lost connection, clean or not. */
  read(): Promise<Batch> {
    const { handover } = this.#call;
    return handover?.isUsed ? this.#take(handover) : this.#readBytes();
  }

  /** Not by `await`: each one on the way of a piece makes it come later. */
  #take(handover: EventHandover): Promise<Batch> {
    return handover.take().then(batchOf, (thrown: unknown) => {
      throw this.#lost(reasonOf(thrown), thrown);
    });
  }

  async #readBytes(): Promise<Batch> {
    const { done, value } = await this.#next();
    if (done) throw this.#lost("the stream ended");
    this.#batch = { messages: [], alive: false };
    this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    return this.#batch;
  }

  async #next(): Promise<{ done: boolean; value?: Uint8Array }> {
    if (!this.#reader) throw new ParleyProtocolError("read before the connection was open");
    try {
      return await this.#watch.within(this.#reader.read());
    } catch (thrown) {
      throw this.#lost(reasonOf(thrown), thrown);
    }
  }

  #lost(reason: string, cause?: unknown): ParleyConnectionError {
    return new ParleyConnectionError(`${this.#transport.nameOf(this.#call)} was cut off: ${reason}`, cause);
  }

  close(): void {
    this.#watch.close();
  }
}

function batchOf(handed: Handed): Batch {
  if ("events" in handed) return { messages: [], handed: handed.events, alive: true };
  return { messages: [{ id: undefined, ...handed }], alive: true };
}
