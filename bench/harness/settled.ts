import { setTimeout as delay } from "node:timers/promises";

export interface Settling {
  /** Between two looks. */
  pauseMs: number;
  /** So many looks in a row that differ by less than the tolerance. */
  looks: number;
  tolerance: number;
  /** The most looks: a value that never rests is taken as it is. */
  most: number;
}

/** A value that moves by itself, such as the memory of a program that collects its garbage, once it has come to rest. */
export async function settled(
  look: () => number,
  { pauseMs, looks, tolerance, most }: Settling,
  pause: (ms: number) => Promise<unknown> = delay,
): Promise<number> {
  let last: number[] = [];
  for (let count = 0; count < most; count++) {
    if (count > 0) await pause(pauseMs);
    last = [...last, look()].slice(-looks);
    if (last.length === looks && Math.max(...last) - Math.min(...last) < tolerance) break;
  }
  return last.at(-1) ?? Number.NaN;
}
