import type { Contestant } from "../harness/contestant.ts";
import { familyMb, residentMb } from "../harness/machine.ts";
import { type Settling, settled } from "../harness/settled.ts";
import { median } from "../harness/stats.ts";

/** Megabytes of all processes of a server, and of its first one. */
export interface Memory {
  all: number;
  own: number;
}

export interface Growth {
  before: Memory;
  /** The median of what each further session costs. */
  more: Memory;
}

/** The memory of a server that has come to rest. */
export async function memoryOf({ pid }: Contestant, settling: Settling): Promise<Memory> {
  return { all: await settled(() => familyMb(pid), settling), own: residentMb(pid) };
}

/** How a server grows by sessions in further directories that have a turn each, after its first session has had as many turns. */
export async function growthOf(
  contestant: Contestant,
  directories: readonly string[],
  settling: Settling,
): Promise<Growth> {
  const session = await contestant.open();
  for (const _ of directories) await contestant.turn(session);
  const steps = [await memoryOf(contestant, settling)];
  for (const directory of directories) {
    await contestant.turn(await contestant.open(directory));
    steps.push(await memoryOf(contestant, settling));
  }
  return growthIn(steps);
}

/** The growth from the first of these on, one further session each. */
export function growthIn(steps: readonly Memory[]): Growth {
  const [before = { all: Number.NaN, own: Number.NaN }, ...after] = steps;
  const costs = (part: keyof Memory): number =>
    median(after.map((step, at) => step[part] - (steps[at]?.[part] ?? Number.NaN)));
  return { before, more: { all: costs("all"), own: costs("own") } };
}
