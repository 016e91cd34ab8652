import type { StopSignal } from "../../server/lifecycle.ts";
import { STOP_SIGNALS, exitCodeOf as signalCode } from "../../server/lifecycle.ts";

/** npm and npx pass a Ctrl-C on that the terminal has sent us already; that is one wish, not two. */
const ECHO_MS = 250;

/** The first signal asks to stop, the second leaves at once. */
export class Interrupts {
  readonly #stop = new AbortController();
  readonly #onSignal = (signal: StopSignal): void => this.#take(signal);
  #at = 0;
  /** The exit code of the signal that came, if one did. */
  code: number | undefined;

  constructor() {
    for (const signal of STOP_SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Asks to stop for another reason than a signal. */
  stop(code: number): void {
    this.code ??= code;
    this.#at = performance.now();
    this.#stop.abort();
  }

  close(): void {
    for (const signal of STOP_SIGNALS) process.off(signal, this.#onSignal);
  }

  #take(signal: StopSignal): void {
    if (!this.#stop.signal.aborted) return this.stop(signalCode(signal));
    if (performance.now() - this.#at > ECHO_MS) process.exit(signalCode(signal));
  }
}
