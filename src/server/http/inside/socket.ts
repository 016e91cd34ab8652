import { Duplex } from "node:stream";
import type { Handover } from "../../../core/handover.ts";

export interface InsideClient {
  /** Takes bytes of the server. More come when `taken` is called. */
  bytes(bytes: Buffer, taken: () => void): void;
  /** The connection is over: the server has said all, or has cut it. */
  over(whole: boolean): void;
}

/**
 * The server's end of a connection with a client in the same process. It is in the place of a socket of the system: bytes are
 * handed over in the same turn of the event loop, and one that waits for its client fills up as a socket does.
 */
export class InsideSocket extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  readonly localAddress = "127.0.0.1";
  /** For an event stream: takes its events in place of bytes. */
  readonly handover: Handover | undefined;
  readonly #client: InsideClient;
  bytesWritten = 0;

  constructor(client: InsideClient, handover?: Handover) {
    super();
    this.#client = client;
    this.handover = handover;
  }

  override _read(): void {}

  override _write(bytes: Buffer, _: BufferEncoding, done: () => void): void {
    this.bytesWritten += bytes.length;
    this.#client.bytes(bytes, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), "binary", done);
  }

  override _final(done: () => void): void {
    this.#client.over(true);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#client.over(false);
    done(error);
  }

  /** There is no wire here whose packets could wait, and no peer that could vanish from it. */
  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }
}
