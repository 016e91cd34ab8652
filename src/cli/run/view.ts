import { safeText } from "../output/safe-text.ts";
import { Spinner } from "../output/spinner.ts";
import type { Stream } from "../output/terminal.ts";

/** The answer on one stream and the progress on another, which are often the same terminal. */
export class View {
  readonly #out: Stream;
  readonly #err: Stream;
  readonly #spinner: Spinner;
  #midLine = false;
  #muted = false;

  constructor(out: Stream, err: Stream, env: Readonly<Record<string, string | undefined>> = process.env) {
    this.#out = out;
    this.#err = err;
    this.#spinner = new Spinner(err, env);
  }

  /** A piece of the answer. A file or a pipe gets it as it is, a terminal without what could harm it. */
  answer(text: string): void {
    if (text === "" || this.#muted) return;
    this.#spinner.stop();
    this.#out.write(this.#out.isTTY ? safeText(text) : text);
    this.#midLine = !text.endsWith("\n");
  }

  /** A line for programs. */
  line(text: string): void {
    if (!this.#muted) this.#out.write(`${text}\n`);
  }

  progress(line: string): void {
    if (this.#muted) return;
    this.#spinner.stop();
    // In one terminal a line must not go on where the answer is in the middle of its own.
    const apart = this.#midLine && this.#out.isTTY && this.#err.isTTY ? "\n" : "";
    if (apart) this.#midLine = false;
    this.#err.write(`${apart}${line}\n`);
  }

  /** Says that something goes on, where nothing else would be disturbed by it. */
  busy(label: string): void {
    if (!this.#midLine && !this.#muted) this.#spinner.start(label);
  }

  /** Before somebody else writes to the terminal, and at the end. */
  rest(): void {
    this.#spinner.stop();
    if (this.#midLine && !this.#muted) this.#out.write("\n");
    this.#midLine = false;
  }

  /** The reader of the answer has gone: nothing more is worth saying. */
  mute(): void {
    this.#spinner.stop();
    this.#muted = true;
  }
}
