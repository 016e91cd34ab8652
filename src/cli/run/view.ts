import { clearKeyEcho } from "../output/key-echo.ts";
import { safeText } from "../output/safe-text.ts";
import { Spinner } from "../output/spinner.ts";
import type { Stream } from "../output/terminal.ts";

/** The reply on one stream and the progress on another, which are often the same terminal. */
export class View {
  readonly #out: Stream;
  readonly #err: Stream;
  readonly #spinner: Spinner;
  readonly #clearEcho: typeof clearKeyEcho;
  #midLine = false;
  #muted = false;
  #asking = false;

  constructor(
    out: Stream,
    err: Stream,
    env: Readonly<Record<string, string | undefined>> = process.env,
    clearEcho = clearKeyEcho,
  ) {
    this.#clearEcho = clearEcho;
    this.#out = out;
    this.#err = err;
    this.#spinner = new Spinner(err, env);
  }

  /** A piece of the agent's reply. A file or a pipe gets it as it is, a terminal without what could harm it. */
  reply(text: string): void {
    if (text === "" || this.#muted) return;
    this.#spinner.stop();
    // After a line of progress, one line feed is enough to set messages apart.
    const shown = this.#out.isTTY && !this.#midLine ? text.replace(/^\n+/, "\n") : text;
    this.#out.write(this.#out.isTTY ? safeText(shown) : shown);
    this.#midLine = !text.endsWith("\n");
  }

  /** A line for programs. */
  line(text: string): void {
    if (!this.#muted) this.#out.write(`${text}\n`);
  }

  progress(line: string): void {
    if (this.#muted) return;
    this.#spinner.stop();
    // In one terminal a line must not go on where the reply is in the middle of its own.
    const apart = this.#asking || (this.#midLine && this.#out.isTTY && this.#err.isTTY);
    if (apart) this.#midLine = false;
    this.#err.write(`${apart ? "\n" : ""}${line}\n`);
  }

  /** Says that something goes on, where nothing else would be disturbed by it. */
  busy(label: string): void {
    if (!this.#midLine && !this.#muted && !this.#asking) this.#spinner.start(label);
  }

  /** A question stands in the terminal's last line, until `answered`. */
  asking(): void {
    this.rest();
    this.#asking = true;
  }

  answered(): void {
    this.#asking = false;
  }

  /** Takes the ^C off the screen that the terminal shows for Ctrl-C, unless it may stand in the middle of the reply. */
  interrupted(): void {
    this.#spinner.stop();
    if (!this.#muted && (this.#asking || !this.#midLine || !this.#out.isTTY)) this.#clearEcho(this.#err, this.#asking);
  }

  /** To be called before other code writes to the terminal, and at the end. */
  rest(): void {
    this.#spinner.stop();
    if (this.#midLine && !this.#muted) this.#out.write("\n");
    this.#midLine = false;
  }

  /** The reader of the reply has gone: nothing more is written. */
  mute(): void {
    this.#spinner.stop();
    this.#muted = true;
  }
}
