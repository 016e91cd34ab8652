import type { OpenOptions } from "./contract.ts";

type Emit = OpenOptions["emit"];

/** Passes signals on in their order, and holds them back while the agent is paused. Nothing comes after the exit. */
export class Outbox {
  readonly #emit: Emit;
  readonly #waiting: Parameters<Emit>[] = [];
  #gate: PromiseWithResolvers<void> | undefined;
  #delivering = false;
  #released = false;
  #ended = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  get paused(): boolean {
    return this.#gate !== undefined;
  }

  readonly emit: Emit = (signal, native, child) => {
    if (this.#ended) return;
    this.#waiting.push([signal, native, child]);
    this.#deliver();
  };

  /** Resolves when signals may be emitted: an agent that emits many waits for it. */
  async free(): Promise<void> {
    await this.#gate?.promise;
  }

  pause(): void {
    if (!this.#released) this.#gate ??= Promise.withResolvers();
  }

  resume(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
    this.#deliver();
  }

  /** The agent is being ended: from now on no pause holds anything back. */
  release(): void {
    this.#released = true;
    this.resume();
  }

  /** Emits `exited`, the last signal; later signals are dropped. */
  end(exit: { code: number | null; signal: string | null; stderr: string[] }): void {
    this.emit({ type: "exited", ...exit });
    this.#ended = true;
  }

  /** Emits the signals that wait, until a receiver pauses. */
  #deliver(): void {
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      while (!this.#gate) {
        const next = this.#waiting.shift();
        if (!next) return;
        this.#emit(...next);
      }
    } finally {
      this.#delivering = false;
    }
  }
}
