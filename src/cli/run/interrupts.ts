import { exitCodeOf, nextMove, type Phase, STOP_SIGNALS, type StopSignal } from "../../server/lifecycle.ts";

/** The first signal asks to stop, the second leaves at once: the same rule as for a server. */
export class Interrupts {
  readonly #stop = new AbortController();
  readonly #onSignal = (signal: StopSignal): void => this.#take(signal);
  #phase: Phase = { name: "running" };
  /** The exit code of what asked to stop, if something did. */
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
    this.#stop.abort();
  }

  close(): void {
    for (const signal of STOP_SIGNALS) process.off(signal, this.#onSignal);
  }

  #take(signal: StopSignal): void {
    const { phase, move } = nextMove(this.#phase, { type: "signal", signal, at: performance.now() });
    this.#phase = phase;
    if (move.do === "drain") this.stop(exitCodeOf(signal));
    if (move.do === "exit") process.exit(move.code);
  }
}
