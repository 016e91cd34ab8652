import { WebSocket } from "ws";
import type { TerminalFrame } from "../../../src/client/index.ts";

/** A client of a terminal's WebSocket, which counts its offset as a page in a browser does. */
export class TerminalClient {
  readonly socket: WebSocket;
  /** All output so far. */
  text = "";
  readonly frames: TerminalFrame[] = [];
  /** The end: a WebSocket's code, or the status of a refused upgrade. */
  readonly closed: Promise<number>;
  readonly #changed = new Set<() => void>();
  #over = false;

  constructor(url: string, options: { headers?: Record<string, string>; origin?: string } = {}) {
    const ended = Promise.withResolvers<number>();
    this.closed = ended.promise;
    this.socket = new WebSocket(url, options);
    this.socket.on("message", (data: Buffer, binary) => {
      if (binary) this.frames.push(JSON.parse(data.toString()));
      else this.text += data.toString();
      this.#tell();
    });
    this.socket.on("close", (code) => this.#end(() => ended.resolve(code)));
    this.socket.on("unexpected-response", (request, response) => {
      this.#end(() => ended.resolve(response.statusCode ?? 0));
      request.destroy();
    });
    this.socket.on("error", () => {});
  }

  /** The offset behind all that came. */
  get offset(): number {
    const [begin] = this.frames;
    return (begin?.type === "begin" ? begin.offset : Number.NaN) + this.text.length;
  }

  async saw(text: string): Promise<void> {
    await this.until(`the output has ${text}`, () => this.text.includes(text));
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

  #end(settle: () => void): void {
    this.#over = true;
    this.#tell();
    settle();
  }

  #tell(): void {
    for (const look of this.#changed) look();
  }
}
