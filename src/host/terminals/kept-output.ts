import type { KeptText } from "./contract.ts";

/** Small writes are put together up to this, so that a chatty program does not make a million pieces. */
const JOIN_BELOW = 4 * 1024;
/** A piece that is read has about this many characters. */
const PIECE = 64 * 1024;

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The last characters of a text that only grows. Offsets count from its beginning, also when that is forgotten. */
export class KeptOutput implements KeptText {
  readonly #limit: number;
  /** Each holds whole characters only, because each write does. */
  readonly #pieces: string[] = [];
  #start = 0;
  #end = 0;

  /** Keeps at least `limit` characters, and at most one write more. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  append(text: string): void {
    if (text === "") return;
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.length + text.length <= JOIN_BELOW) this.#pieces[this.#pieces.length - 1] += text;
    else this.#pieces.push(text);
    this.#end += text.length;
    for (let first = this.#pieces[0]; first !== undefined; first = this.#pieces[0]) {
      if (this.#end - this.#start - first.length < this.#limit) return;
      this.#pieces.shift();
      this.#start += first.length;
    }
  }

  read(from: number, to: number): { text: string; next: number } {
    const until = Math.min(to, this.#end);
    let at = Math.max(from, this.#start);
    let { index, begin } = this.#find(at);
    let text = "";
    for (let piece = this.#pieces[index]; piece !== undefined; piece = this.#pieces[index]) {
      if (at >= until || text.length >= PIECE) break;
      let first = at - begin;
      // An offset inside a character: the half that is left cannot be sent.
      if (text === "" && first > 0 && isLowSurrogate(piece.charCodeAt(first))) first += 1;
      const part = piece.slice(first, until - begin);
      text += part;
      at = begin + first + part.length;
      begin += piece.length;
      index += 1;
    }
    return { text, next: at };
  }

  /** The piece that holds an offset, and the offset at which it begins. Looks from the end, where most readers are. */
  #find(at: number): { index: number; begin: number } {
    let index = this.#pieces.length;
    let begin = this.#end;
    while (index > 0 && begin > at) {
      index -= 1;
      begin -= this.#pieces[index]?.length ?? 0;
    }
    return { index, begin };
  }
}
