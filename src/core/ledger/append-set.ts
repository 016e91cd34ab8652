const CHUNK = 256;

/**
 * A set that only grows and is never changed itself. Adding copies a small piece of it, so that a turn of ten thousand
 * items does not cost their square.
 */
export class AppendSet {
  static readonly EMPTY = new AppendSet([], new Set());
  private readonly full: readonly ReadonlySet<string>[];
  private readonly last: ReadonlySet<string>;

  private constructor(full: readonly ReadonlySet<string>[], last: ReadonlySet<string>) {
    this.full = full;
    this.last = last;
  }

  has(key: string): boolean {
    return this.last.has(key) || this.full.some((chunk) => chunk.has(key));
  }

  with(key: string): AppendSet {
    if (this.has(key)) return this;
    if (this.last.size < CHUNK) return new AppendSet(this.full, new Set(this.last).add(key));
    return new AppendSet([...this.full, this.last], new Set([key]));
  }

  *keys(): Generator<string> {
    for (const chunk of [...this.full, this.last]) yield* chunk;
  }
}
