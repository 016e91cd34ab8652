import type { Fields } from "../../core/json/fields.ts";

/** A turn of the session, from its prompt to the answer of its last one. */
export class Turn {
  /** The program has its prompt. */
  isGiven = false;
  #isStopped = false;
  #isRefused = false;
  /** Why something was refused, while the model has not gone on since. */
  #feedback: string | undefined;
  #later: Fields[][] = [];

  /** Parley asked the program to stop. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Something that the program asked for was refused. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  stop(): void {
    this.#isStopped = true;
    this.#later = [];
    this.#feedback = undefined;
  }

  refuse(feedback: string | undefined): void {
    this.#isRefused = true;
    this.#feedback = feedback;
  }

  /** The model goes on by itself: it has seen the refusal. */
  goesOn(): void {
    this.#feedback = undefined;
  }

  /** Words for the turn that the program has not taken while it works. */
  later(prompt: Fields[]): void {
    if (!this.#isStopped) this.#later.push(prompt);
  }

  /** The program has taken the words after all. */
  taken(prompt: Fields[]): void {
    this.#later = this.#later.filter((one) => one !== prompt);
  }

  /** The turn's next prompt; undefined when the turn is over. */
  next(): Fields[] | undefined {
    const feedback = this.#feedback;
    this.#feedback = undefined;
    if (feedback !== undefined) this.#later.unshift([{ type: "text", text: `The user refused this: ${feedback}` }]);
    return this.#later.shift();
  }
}
