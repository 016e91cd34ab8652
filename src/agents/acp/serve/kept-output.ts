/** The end of an output, bounded by bytes and cut between characters. */
export class KeptOutput {
  readonly limit: number;
  #text = "";
  #bytes = 0;
  #cut = false;

  constructor(limit: number) {
    this.limit = Math.max(0, limit);
  }

  get isCut(): boolean {
    return this.#cut || this.#bytes > this.limit;
  }

  get text(): string {
    this.#trim();
    return this.#text;
  }

  add(text: string): void {
    this.#text += text;
    this.#bytes += Buffer.byteLength(text);
    // Now and then, so that a long output costs its length and not the square of it.
    if (this.#bytes > 2 * this.limit + 65_536) this.#trim();
  }

  #trim(): void {
    if (this.#bytes <= this.limit) return;
    this.#cut = true;
    const bytes = Buffer.from(this.#text);
    let from = bytes.length - this.limit;
    while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
    this.#text = bytes.toString("utf8", from);
    this.#bytes = bytes.length - from;
  }
}
