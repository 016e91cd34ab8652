import type { Signal } from "../../core/ledger/signals.ts";

/** What the agent says, held back while it may not speak. Nothing comes after the exit. */
export class Outbox {
  readonly #emit: (signal: Signal) => void;
  #held: Signal[] = [];
  #gate: PromiseWithResolvers<void> | undefined;
  #closed = false;

  constructor(emit: (signal: Signal) => void) {
    this.#emit = emit;
  }

  readonly emit = (signal: Signal): void => {
    if (this.#closed) return;
    if (this.#gate) this.#held.push(signal);
    else this.#emit(signal);
  };

  /** Resolves when there is no need to hold anything: who makes much waits for it. */
  async free(): Promise<void> {
    await this.#gate?.promise;
  }

  pause(): void {
    this.#gate ??= Promise.withResolvers();
  }

  resume(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
    for (const signal of this.#held.splice(0)) this.#emit(signal);
  }

  /** The last word. */
  close(signal: Signal): void {
    if (this.#closed) return;
    this.resume();
    this.#closed = true;
    this.#emit(signal);
  }
}
