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

  /** An id after that of a message. */
  next(after = ""): string {
    const wanted = (BigInt(Math.floor(this.#now())) * 0x1000n + 1n) & 0xffff_ffff_ffffn;
    const latest = [wanted, this.#last + 1n, timeIn(after) + 1n].reduce((a, b) => (a > b ? a : b));
    this.#last = latest;
    const time = latest.toString(16).padStart(12, "0");
    const random = [...randomBytes(RANDOM_LETTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
    return `msg_${time}${random}`;
  }
}

function timeIn(id: string): bigint {
  const [, hex] = /^msg_([0-9a-f]{12})/.exec(id) ?? [];
  return hex === undefined ? 0n : BigInt(`0x${hex}`);
}
