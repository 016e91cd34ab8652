export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const U = 0x75;

/** So many bytes are looked at one by one before the rest is searched natively, which is slow to begin and fast to go on. */
const ONE_BY_ONE = 64;

/** Where the next quote and the next backslash are: each is looked for once. */
export class Marks {
  readonly #bytes: Buffer;
  #quote = -1;
  #backslash = -1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  next(from: number): number {
    if (this.#quote < from) this.#quote = this.#find(QUOTE, from);
    if (this.#backslash < from) this.#backslash = this.#find(BACKSLASH, from);
    return Math.min(this.#quote, this.#backslash);
  }

  #find(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at < 0 ? this.#bytes.length : at;
  }
}

/** The index at which a stretch of a text ends: at its quote, at an incomplete escape, or at the given index. */
export function textEnd(bytes: Buffer, from: number, to: number, marks?: Marks): number {
  let at = from;
  let native = marks ? from + ONE_BY_ONE : to;
  while (at < to) {
    if (marks && at >= native) {
      at = Math.min(marks.next(at), to);
      native = at + ONE_BY_ONE;
      if (at === to) return at;
    }
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) at += 1;
    else {
      const after = at + (bytes[at + 1] === U ? 6 : 2);
      if (after > to) return at;
      at = after;
    }
  }
  return at;
}
