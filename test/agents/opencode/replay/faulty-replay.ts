import { type Fields, isFields, jsonIn, textIn } from "../../../../src/core/json/fields.ts";
import { FrameFaults, type Rates } from "../../../support/chaos/faults.ts";
import type { Random } from "../../../support/random.ts";
import { OpenCodeReplay } from "./replay.ts";

/** Events that pass before a broken stream is opened again. */
const LONGEST_LOSS = 20;

/** Hears the events of a recording as a bad connection brings them, and asks the server late. */
export class FaultyReplay extends OpenCodeReplay {
  readonly #random: Random;
  readonly #faults: FrameFaults;
  readonly #heard = new Set<string>();
  /** Events that are still missed before the stream is there again. */
  #missing = 0;

  constructor(random: Random, rates: Rates) {
    super();
    this.#random = random;
    this.#faults = new FrameFaults(random, () => rates);
  }

  override isPrompt(): boolean {
    return this.#random.chance(0.5);
  }

  override hear(event: Fields): void {
    if (this.#missing > 0) {
      if (--this.#missing === 0) this.reconnect();
      return;
    }
    this.#perform(this.#faults.take(`data: ${JSON.stringify(event)}\n\n`));
  }

  #perform(acts: ReturnType<FrameFaults["take"]>): void {
    let text = "";
    for (const act of acts) {
      if (act.do === "write") text += act.text;
      if (act.do === "cut" || act.do === "silence") this.#missing = this.#random.between(1, LONGEST_LOSS);
    }
    for (const frame of text.split("\n\n")) {
      const event = jsonIn(frame.slice("data: ".length));
      if (isFields(event)) this.#hearOnce(event);
    }
  }

  /** The stream leaves out an event that it has brought before. */
  #hearOnce(event: Fields): void {
    const id = textIn(event, "id") ?? "";
    if (this.#heard.has(id)) return;
    this.#heard.add(id);
    super.hear(event);
  }

  override end(): this {
    this.#perform(this.#faults.flush());
    this.reconnect();
    return super.end();
  }
}
