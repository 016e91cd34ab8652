/** What a pass of the order says about the queue: see the schema's `order_v1`. */
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

/** The id in the queue of appends at or below which there is nothing, and never will be. */
export function createFloor() {
  let samples: { newest: number; until: number }[] = [];
  let floor = 0;
  return {
    value: () => floor,
    learn({ newest, until, ended }: Pick<PassRow, "newest" | "until" | "ended">): void {
      // Only what an earlier pass told: its rows were taken by a statement that came after its own look at the queue.
      for (const sample of samples) if (sample.until <= ended) floor = Math.max(floor, sample.newest);
      samples = samples.filter((sample) => sample.until > ended);
      if (until !== null && samples.length < MAX_SAMPLES) samples.push({ newest, until });
    },
  };
}
