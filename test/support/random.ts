/** Chance that is the same for the same seed. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 up to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(from: readonly T[]): T {
    const found = from[this.between(0, from.length - 1)];
    if (found === undefined) throw new Error("expected something to pick from");
    return found;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}

/** The seed of a random test: from PARLEY_SEED to repeat a run, else a new one. It belongs in every failure's message. */
export function seedOf(): number {
  return Number(process.env.PARLEY_SEED ?? Math.floor(Math.random() * 2 ** 31));
}
