const HEAD = 15_000;
const TAIL = 15_000;

/** Keeps the beginning and the end of an output of any length, in little memory. */
export class OutputLimit {
  #head = "";
  #tail = "";
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(text: string): void {
    this.#length += text.length;
    const room = HEAD - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    if (this.#tail.length > 2 * TAIL) this.#tail = this.#tail.slice(-TAIL);
  }

  text(): string {
    const left = this.#length - HEAD - TAIL;
    if (left <= 0) return this.#head + this.#tail;
    return `${this.#head}\n(… ${left} characters left out …)\n${this.#tail.slice(-TAIL)}`;
  }
}
