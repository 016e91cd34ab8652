const KEPT = 15_000;
const STEP = 1_000;

/**
 * The end of a running tool's output, as far as it is shown. OpenCode's clients get all of it with each change, so a long
 * output is shown by its end only, and not for each word anew.
 */
export class LiveOutput {
  #tail = "";
  #total = 0;
  #unseen = 0;

  /** Whether there is enough that is new to show it. */
  add(delta: string): boolean {
    this.#tail += delta;
    this.#total += delta.length;
    this.#unseen += delta.length;
    if (this.#tail.length > 2 * KEPT) this.#tail = this.#tail.slice(-KEPT);
    if (this.#total > KEPT && this.#unseen < STEP) return false;
    this.#unseen = 0;
    return true;
  }

  replace(text: string): void {
    this.#tail = text.slice(-KEPT);
    this.#total = text.length;
    this.#unseen = 0;
  }

  get text(): string {
    return this.#tail;
  }
}
