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
