import type { Figure, Unit } from "../harness/figure.ts";

export type Side = "native" | "parley";

/** One value for either side. */
export type Both<T> = Readonly<Record<Side, T>>;

const ANCHOR = "opencode serve";

/** Samples of either side. */
export function samples(): Both<number[]> {
  return { native: [], parley: [] };
}

/** Does something to both in turns. The order alternates, so that other work of the machine disturbs both alike. */
export async function inTurns(rounds: number, act: (side: Side, round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const sides: Side[] = round % 2 === 0 ? ["native", "parley"] : ["parley", "native"];
    for (const side of sides) await act(side, round);
  }
}

export function versus(work: string, values: Both<number>, unit: Unit, goal?: Figure["goal"]): Figure {
  return {
    work,
    value: values.parley,
    unit,
    anchor: { name: ANCHOR, value: values.native },
    ...(goal ? { goal } : {}),
  };
}

export function faster({ native, parley }: Both<number>): Figure["goal"] {
  return { text: "below OpenCode's", met: parley < native };
}
