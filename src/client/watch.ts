/**
 * Watches over one request. Its signal is aborted with the caller's own, and when nothing comes for too long: a connection
 * that a sleeping laptop or a lost route left behind says nothing of its death.
 */
export class Watch {
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #silenceMs: number;
  readonly #onAbort = (): void => this.#stop.abort(this.#outer?.reason);

  constructor(silenceMs: number, outer?: AbortSignal) {
    this.#silenceMs = silenceMs;
    this.#outer = outer;
    if (outer?.aborted) this.#onAbort();
    else outer?.addEventListener("abort", this.#onAbort);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Awaits a step of the request. Only the time in here counts as silence, not what the caller does in between. */
  async within<T>(step: Promise<T>): Promise<T> {
    const silent = (): void => this.#stop.abort(new Error(`nothing came for ${this.#silenceMs / 1000} s`));
    const timer = Number.isFinite(this.#silenceMs) ? setTimeout(silent, this.#silenceMs) : undefined;
    try {
      return await step;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the request in any state. */
  close(): void {
    this.#outer?.removeEventListener("abort", this.#onAbort);
    this.#stop.abort();
  }
}
