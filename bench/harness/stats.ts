/** The value below which a share of the sorted values lies. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const at = Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1);
  return sorted[Math.max(0, at)] ?? Number.NaN;
}

export function median(values: ArrayLike<number>): number {
  return percentile(values, 0.5);
}

/** Microseconds of a clock that all processes of a machine share. */
export function nowMicros(): number {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1e6 + nanos / 1e3;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
