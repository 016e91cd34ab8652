import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LETTERS = 14;

/**
 * Makes ids of messages as the program does: by their time and a count, so that they sort in the order in which they were made. The program reads a
 * conversation in the order of its ids, so each one must come after all that are there.
 */
export class MessageIds {
  readonly #now: () => number;
  #last = 0n;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  next(): string {
    const wanted = BigInt(Math.floor(this.#now())) * 0x1000n + 1n;
    this.#last = wanted > this.#last ? wanted : this.#last + 1n;
    const time = (this.#last & 0xffff_ffff_ffffn).toString(16).padStart(12, "0");
    const random = [...randomBytes(RANDOM_LETTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
    return `msg_${time}${random}`;
  }
}

/** An id that sorts right after a message's: a copy up to it has that message and none after it. */
export function rightAfter(message: string): string {
  return `${message}0`;
}
