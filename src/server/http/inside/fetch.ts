import type { Handover, RequestWithHandover } from "../../../core/handover.ts";
import { readHead } from "./head.ts";
import { type InsideClient, InsideSocket } from "./socket.ts";

export type InsideFetch = (url: string, init: RequestWithHandover) => Promise<Response>;

/** Bytes of a response that may wait for their reader before its server waits, too. */
const WAITING = 64 * 1024;

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** HTTP/1.0: a body ends with its connection, and its bytes are sent as they are. */
function requestText(url: string, { method = "GET", headers, body }: RequestInit): string {
  const { host, pathname, search } = new URL(url);
  const text = typeof body === "string" ? body : "";
  const lines = [`${method} ${pathname}${search} HTTP/1.0`, `host: ${host}`];
  for (const [name, value] of new Headers(headers)) lines.push(`${name}: ${value}`);
  if (body != null) lines.push(`content-length: ${Buffer.byteLength(text)}`);
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}

/** The client's end of one request: the head of its response, then the stream of its body. */
class InsideRequest implements InsideClient {
  readonly response = Promise.withResolvers<Response>();
  readonly socket: InsideSocket;
  #head = Buffer.alloc(0);
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #taken: (() => void) | undefined;
  #isOver = false;

  constructor(handover: Handover | undefined) {
    this.socket = new InsideSocket(this, handover);
  }

  bytes(bytes: Buffer, taken: () => void): void {
    if (this.#isOver) return taken();
    const body = this.#body ? bytes : this.#begin(bytes);
    if (body.length > 0) this.#body?.enqueue(new Uint8Array(body));
    if (!this.#body || (this.#body.desiredSize ?? 0) > 0) taken();
    else this.#taken = taken;
  }

  over(whole: boolean): void {
    if (whole) this.end();
    else this.end(new TypeError("the connection was cut off"));
  }

  /** Ends the request for its client: at the end of the body, or by an error. */
  end(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.socket.handover?.end(error ?? new TypeError("the stream ended"));
    if (!this.#body) this.response.reject(error ?? new TypeError("the connection ended without a response"));
    else if (error === undefined) this.#body.close();
    else this.#body.error(error);
    this.#goOn();
  }

  /** Reads the head. Returns what came of the body with it. */
  #begin(bytes: Buffer): Buffer {
    this.#head = Buffer.concat([this.#head, bytes]);
    const head = readHead(this.#head);
    if (!head) return Buffer.alloc(0);
    const { status, headers, length } = head;
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#body = controller;
        },
        pull: () => this.#goOn(),
        cancel: () => {
          this.#isOver = true;
          this.socket.destroy();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: WAITING }),
    );
    this.response.resolve(new Response(BODILESS.has(status) ? null : stream, { status, headers }));
    return this.#head.subarray(length);
  }

  #goOn(): void {
    this.#taken?.();
    this.#taken = undefined;
  }
}

/** Sends requests to a server of this process without a socket of the system. They pass the same guards as all others. */
export function insideFetch(connect: (socket: InsideSocket) => void): InsideFetch {
  return async (url, init) => {
    const { signal, handover } = init;
    signal?.throwIfAborted();
    const request = new InsideRequest(handover);
    const { socket, response } = request;
    const abort = (): void => {
      request.end(signal?.reason);
      socket.destroy();
    };
    signal?.addEventListener("abort", abort);
    socket.once("close", () => signal?.removeEventListener("abort", abort));
    connect(socket);
    socket.push(requestText(url, init));
    return await response.promise;
  };
}
