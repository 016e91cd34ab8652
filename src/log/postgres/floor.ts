/** The words of a pass of the order about the queue: see the schema's `order_v1`. */
export interface PassRow {
  /** How many appends got their positions. */
  ordered: number;
  /** The newest position. */
  position: number;
  newest: number;
  until: number | null;
  ended: number;
}

/** More are forgotten: they would only raise the floor in smaller steps. */
const MAX_SAMPLES = 100;

/** The time between two passes over the whole queue. */
const WHOLE_MS = 60_000;

/**
 * The id in the queue of appends at or below which there is nothing, and never will be. A database that failed over to a replica
 * may have rows there again. Positions that step back show that at once; in any case all rows are looked at now and then.
 */
export function createFloor(now: () => number = () => performance.now()) {
  let samples: { newest: number; until: number }[] = [];
  let floor = 0;
  let position = 0;
  let wholeAt = now();
  const due = (): boolean => floor > 0 && now() - wholeAt >= WHOLE_MS;
  return {
    /** It is time to look at all rows. */
    due,
    value: () => (due() ? 0 : floor),
    /** Learns from a pass that was made with a floor. */
    learn(row: Pick<PassRow, "newest" | "until" | "ended" | "position">, used: number): void {
      const { newest, until, ended } = row;
      if (used === 0) wholeAt = now();
      if (row.position < position) [samples, floor] = [[], 0];
      position = row.position;
      // Only what an earlier pass told: its rows were taken by a statement that came after its own look at the queue.
      for (const sample of samples) if (sample.until <= ended) floor = Math.max(floor, sample.newest);
      samples = samples.filter((sample) => sample.until > ended);
      if (until !== null && samples.length < MAX_SAMPLES) samples.push({ newest, until });
    },
  };
}
