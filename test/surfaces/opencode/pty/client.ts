import { WebSocket } from "ws";

/** A client of a terminal's WebSocket, which counts what it read as a page in a browser does. */
export class PtyClient {
  readonly socket: WebSocket;
  /** All output so far. */
  text = "";
  /** How much of it was the replay. */
  replayed: number | undefined;
  /** The cursor in the frame after the replay. */
  cursor: number | undefined;
  readonly frames: (string | { cursor: number })[] = [];
  readonly #changed = new Set<() => void>();
  /** How it ended: a WebSocket's code, or the status of a refused upgrade. */
  readonly closed: Promise<number>;
  #over = false;

  constructor(url: string, options: { headers?: Record<string, string>; origin?: string } = {}) {
    const ended = Promise.withResolvers<number>();
    this.closed = ended.promise;
    this.socket = new WebSocket(url, options);
    this.socket.on("message", (data: Buffer, binary) => {
      if (binary) {
        if (data[0] !== 0) throw new Error(`expected a control frame, got ${data.toString("hex")}`);
        const frame = JSON.parse(data.subarray(1).toString());
        this.frames.push(frame);
        this.cursor = frame.cursor;
        this.replayed = this.text.length;
      } else {
        this.frames.push(data.toString());
        this.text += data.toString();
      }
      this.#tell();
    });
    this.socket.on("close", (code) => {
      this.#over = true;
      this.#tell();
      ended.resolve(code);
    });
    this.socket.on("unexpected-response", (request, response) => {
      this.#over = true;
      ended.resolve(response.statusCode ?? 0);
      request.destroy();
    });
    this.socket.on("error", () => {});
  }

  send(text: string | Buffer): void {
    this.socket.send(text);
  }

  /** Resolves when the output holds a text, or the replay is over and it does. */
  async saw(text: string | RegExp): Promise<void> {
    await this.until(`the output has ${text}`, () =>
      typeof text === "string" ? this.text.includes(text) : text.test(this.text),
    );
  }

  async until(what: string, check: () => boolean): Promise<void> {
    const done = Promise.withResolvers<void>();
    const look = (): void => {
      if (check()) done.resolve();
      else if (this.#over) done.reject(new Error(`it closed before ${what}; it wrote ${JSON.stringify(this.text)}`));
    };
    this.#changed.add(look);
    look();
    await done.promise.finally(() => this.#changed.delete(look));
  }

  /** Leaves as a client that is cut off does. */
  leave(): void {
    this.socket.terminate();
  }

  #tell(): void {
    for (const look of this.#changed) look();
  }
}
