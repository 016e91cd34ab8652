import { ParleyConnectionError, ParleyProtocolError, reasonOf } from "./errors.ts";
import { type Backoff, isPassing, waitFor } from "./retry.ts";

/** Before the server has said it with `retry:`. */
const BASE_MS = 1_000;

/** A server that says something impossible at the same cursor so often will go on doing so. */
const FAULTS = 5;

/** Decides after each lost connection how long to wait for the next one, or that it is time to give up. */
export class Losses {
  baseMs = BASE_MS;
  readonly #backoff: Backoff;
  readonly #giveUpAfterMs: number;
  readonly #now: () => number;
  #attempts = 0;
  #since: number | undefined;
  #fault = { cursor: "", count: 0 };

  constructor(backoff: Backoff, giveUpAfterMs: number, now: () => number = () => performance.now()) {
    this.#backoff = backoff;
    this.#giveUpAfterMs = giveUpAfterMs;
    this.#now = now;
  }

  /** Connections in a row that brought nothing. */
  get attempts(): number {
    return this.#attempts;
  }

  /** The connection works. */
  reset(): void {
    this.#attempts = 0;
    this.#since = undefined;
  }

  /** Milliseconds until the next try. Throws the error where no try can help. */
  next(error: unknown, cursor: string): number {
    if (!isPassing(error) && !this.#isRareFault(error, cursor)) throw error;
    const now = this.#now();
    this.#since ??= now;
    const ms = waitFor(error, this.#backoff(this.#attempts, this.baseMs));
    this.#attempts++;
    if (now + ms - this.#since > this.#giveUpAfterMs) {
      throw new ParleyConnectionError(`gave up after ${this.#attempts} tries: ${reasonOf(error)}`, error);
    }
    return ms;
  }

  /** A proxy between us and the server can cause a hole or a broken frame, which then goes away. */
  #isRareFault(error: unknown, cursor: string): boolean {
    if (!(error instanceof ParleyProtocolError)) return false;
    this.#fault = { cursor, count: this.#fault.cursor === cursor ? this.#fault.count + 1 : 1 };
    return this.#fault.count < FAULTS;
  }
}
