import { exitCodeOf, nextMove, type Phase, type StopSignal } from "../../server/lifecycle/lifecycle.ts";
import { stopSignals } from "../launcher/signals.ts";
import { launcherEnd } from "../launcher/watch.ts";

/** The first signal asks to stop, the second leaves at once: the same rule as for a server. */
export class Interrupts {
  readonly #stop = new AbortController();
  readonly #onSignal = (signal: StopSignal): void => this.#take(signal);
  readonly #onLauncherEnd = (): void => {
    this.#phase = nextMove(this.#phase, { type: "launcher-gone", at: performance.now() }).phase;
    this.stop(exitCodeOf("SIGHUP"));
  };
  #phase: Phase = { name: "running" };
  /** The exit code of what asked to stop, if something did. */
  code: number | undefined;

  constructor() {
    for (const signal of stopSignals()) process.on(signal, this.#onSignal);
    if (launcherEnd().aborted) this.#onLauncherEnd();
    launcherEnd().addEventListener("abort", this.#onLauncherEnd);
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
    for (const signal of stopSignals()) process.off(signal, this.#onSignal);
    launcherEnd().removeEventListener("abort", this.#onLauncherEnd);
  }

  #take(signal: StopSignal): void {
    const { phase, move } = nextMove(this.#phase, { type: "signal", signal, at: performance.now() });
    this.#phase = phase;
    if (move.do === "drain") this.stop(exitCodeOf(signal));
    if (move.do === "exit") process.exit(move.code);
  }
}
