import type { Figure, Unit } from "./figure.ts";
import { percentile } from "./stats.ts";

/** The program as it is, and Parley in its place or around it. */
export type Side = "native" | "parley";

/** One value for either side. */
export type Both<T> = Readonly<Record<Side, T>>;

/** Samples of either side. */
export function samples(): Both<number[]> {
  return { native: [], parley: [] };
}

/** The value of either side below which a share of its samples lies. */
export function each(values: Both<number[]>, share: number): Both<number> {
  return { native: percentile(values.native, share), parley: percentile(values.parley, share) };
}

/** Does something to both in turns. The order alternates, so that other work of the machine disturbs both alike. */
export async function inTurns(rounds: number, act: (side: Side, round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const sides: Side[] = round % 2 === 0 ? ["native", "parley"] : ["parley", "native"];
    for (const side of sides) await act(side, round);
  }
}

/** Makes figures of Parley beside a program of that name. */
export function versus(name: string) {
  return (work: string, { native: value, parley }: Both<number>, unit: Unit, goal?: Figure["goal"]): Figure => {
    return { work, value: parley, unit, anchor: { name, value }, ...(goal ? { goal } : {}) };
  };
}

/** The goal for Parley around a program: a share of the program's own time more, and some milliseconds. */
export function closeTo({ native, parley }: Both<number>, factor: number, moreMs: number): Figure["goal"] {
  return { text: `at most ${factor}x + ${moreMs} ms`, met: parley <= factor * native + moreMs };
}
