const STRIKES = 3;

/** Notices a model that makes the same call again and again. */
export class DoomLoop {
  #last = "";
  #count = 0;

  /** Counts a call. True for the third of three in a row that are the same; the count begins anew then. */
  strikes(name: string, input: unknown): boolean {
    const call = `${name} ${JSON.stringify(input)}`;
    this.#count = call === this.#last ? this.#count + 1 : 1;
    this.#last = call;
    if (this.#count < STRIKES) return false;
    this.#count = 0;
    return true;
  }
}
