import type { Random } from "../../support/random.ts";
import type { Fault } from "./faults.ts";

/** All things in an order of chance. */
export function shuffled<T>(things: readonly T[], random: Random): T[] {
  const left = [...things];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(random.between(0, left.length - 1), 1));
  return order;
}

/** The first faults, and then others by chance until the time is over. */
export function* faultsFor(
  first: readonly Fault[],
  others: readonly Fault[],
  random: Random,
  ms: number,
): Generator<Fault> {
  const until = performance.now() + ms;
  yield* shuffled(first, random);
  while (performance.now() < until)
    for (const fault of shuffled(others, random)) {
      if (performance.now() >= until) return;
      yield fault;
    }
}

/** Faults in an order of chance, over as many rounds as it takes: each comes once before any comes again. */
export class Deck {
  private readonly kinds: readonly Fault[];
  private readonly random: Random;
  private left: Fault[] = [];
  private readonly seen = new Set<string>();

  constructor(kinds: readonly Fault[], random: Random) {
    this.kinds = kinds;
    this.random = random;
  }

  /** Faults for so long. */
  *draw(ms: number): Generator<Fault> {
    const until = performance.now() + ms;
    do {
      if (this.left.length === 0) this.left = shuffled(this.kinds, this.random);
      const fault = this.left.pop();
      if (!fault) return;
      this.seen.add(fault.name);
      yield fault;
    } while (performance.now() < until);
  }

  /** The names of those that have not come yet. */
  undrawn(): string[] {
    return this.kinds.map(({ name }) => name).filter((name) => !this.seen.has(name));
  }
}
