import { CLEAR_LINE } from "./key-echo.ts";
import type { Stream } from "./terminal.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;

/** One line at the bottom of a terminal that says that something goes on. It is nothing at all elsewhere. */
export class Spinner {
  readonly #stream: Stream;
  readonly #shown: boolean;
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #label = "";

  constructor(stream: Stream, env: Readonly<Record<string, string | undefined>> = process.env) {
    this.#stream = stream;
    this.#shown = stream.isTTY === true && env.TERM !== "dumb";
  }

  start(label: string): void {
    this.#label = label;
    if (!this.#shown || this.#timer) return;
    this.#timer = setInterval(() => {
      const frame = FRAMES[this.#frame++ % FRAMES.length] ?? "";
      this.#stream.write(`${CLEAR_LINE}${frame} ${this.#label}`);
    }, FRAME_MS);
    this.#timer.unref();
  }

  /** Takes it away, so that a line can be written in its place. */
  stop(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stream.write(CLEAR_LINE);
  }
}
