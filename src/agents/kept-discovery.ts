import type { FoundBinary } from "../install/find.ts";
import type { Discovery } from "./contract.ts";

/** How long an answer is fresh. An older one is used until the new one is there. */
const FRESH_MS = 60_000;

/** Keeps what is known of an agent's program for a while: each look costs starts of the program. */
export class KeptDiscovery {
  readonly #ask: (found: FoundBinary) => Promise<Discovery>;
  readonly #now: () => number;
  #known: { path: string; at: number; answer: Promise<Discovery> } | undefined;

  constructor(ask: (found: FoundBinary) => Promise<Discovery>, now: () => number = Date.now) {
    this.#ask = ask;
    this.#now = now;
  }

  discover(found: FoundBinary): Promise<Discovery> {
    const known = this.#known;
    if (known?.path !== found.path) return this.#look(found);
    if (this.#now() - known.at <= FRESH_MS) return known.answer;
    // The old answer serves while the new one is made.
    this.#known = { ...known, at: this.#now() };
    this.#ask(found).then((fresh) => {
      this.#known = { path: found.path, at: this.#now(), answer: Promise.resolve(fresh) };
    }, ignore);
    return known.answer;
  }

  #look(found: FoundBinary): Promise<Discovery> {
    const answer = this.#ask(found);
    this.#known = { path: found.path, at: this.#now(), answer };
    const forget = (): void => {
      if (this.#known?.answer === answer) this.#known = undefined;
    };
    // An answer that nobody can work with is not kept: the user may log in at any time.
    answer.then(({ credentials, models }) => {
      if (credentials === "missing" || models.length === 0) forget();
    }, forget);
    return answer;
  }
}

const ignore = (): void => {};
