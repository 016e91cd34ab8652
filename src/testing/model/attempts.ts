import { keepNewest } from "../../core/entries.ts";

const KEPT = 1000;

/**
 * Counts the attempts at steps that have trouble. It is all that the server remembers: bounded, and forgotten as soon as the step
 * is answered, so that the same conversation held again meets the same trouble again.
 */
export class Attempts {
  readonly #counts = new Map<string, number>();

  /** The number of this attempt, from 0. */
  next(key: string): number {
    const attempt = this.#counts.get(key) ?? 0;
    keepNewest(this.#counts, key, attempt + 1, KEPT);
    return attempt;
  }

  forget(key: string): void {
    this.#counts.delete(key);
  }
}
