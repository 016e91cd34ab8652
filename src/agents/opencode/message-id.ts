import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TIME_LETTERS = 12;
const RANDOM_LETTERS = 14;
/** The clock of another machine may be late by so much: messages of Parley must not sort after the answers to them. */
const SKEW_MS = 10 * 60_000;

/**
 * Makes ids of messages as the program does: by their time and a count, so that they sort in the order in which they were made. The program reads a
 * conversation in the order of its ids, so each one must come after all that are there.
 */
export class MessageIds {
  readonly #lateMs: number;
  readonly #now: () => number;
  #last = 0n;

  /** `isOurClock`: the program's machine is this one. */
  constructor(isOurClock: boolean, now: () => number = Date.now) {
    this.#lateMs = isOurClock ? 0 : SKEW_MS;
    this.#now = now;
  }

  /** An id after that of a message. */
  next(after = ""): string {
    const wanted = (BigInt(Math.floor(this.#now() - this.#lateMs)) * 0x1000n + 1n) & 0xffff_ffff_ffffn;
    const latest = [wanted, this.#last + 1n, timeIn(after) + 1n].reduce((a, b) => (a > b ? a : b));
    this.#last = latest;
    const time = latest.toString(16).padStart(TIME_LETTERS, "0");
    const random = [...randomBytes(RANDOM_LETTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
    return `msg_${time}${random}`;
  }
}

/** The id of a part of a message: the same whenever the message is given, and in the order of the parts. */
export function partId(message: string, index: number): string {
  const own = message.slice("msg_".length);
  return `prt_${own.slice(0, TIME_LETTERS)}${String(index).padStart(3, "0")}${own.slice(TIME_LETTERS + 3)}`;
}

function timeIn(id: string): bigint {
  const [, hex] = /^msg_([0-9a-f]{12})/.exec(id) ?? [];
  return hex === undefined ? 0n : BigInt(`0x${hex}`);
}
