const FIRST = 64 * 1024;

/** Bytes that are put together piece by piece. */
export class OutputBytes {
  #bytes = Buffer.allocUnsafeSlow(FIRST);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  addText(text: string): void {
    const bytes = Buffer.from(text);
    this.append(bytes, 0, bytes.length);
  }

  append(bytes: Buffer, from: number, to: number): void {
    this.#reserve(to - from);
    bytes.copy(this.#bytes, this.#length, from, to);
    this.#length += to - from;
  }

  cutTo(length: number): void {
    this.#length = length;
  }

  /** Takes back a last character that is there in part; gives its bytes' number. */
  trimCharacter(): number {
    let lead = this.#length - 1;
    while (lead > 0 && ((this.#bytes[lead] ?? 0) & 0xc0) === 0x80 && this.#length - lead < 4) lead--;
    const first = this.#bytes[lead] ?? 0;
    const whole = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const there = this.#length - lead;
    if (there >= whole) return 0;
    this.#length = lead;
    return there;
  }

  /** Whether these are all bytes from an index on. */
  endsWith(bytes: Buffer, from: number): boolean {
    if (this.#length - from !== bytes.length) return false;
    for (let at = 0; at < bytes.length; at++) if (this.#bytes[from + at] !== bytes[at]) return false;
    return true;
  }

  text(from: number, to: number): string {
    return this.#bytes.toString("utf8", from, to);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#length + more, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
