/** One line of the table: a result beside an anchor that was measured in the same run. */
export interface Figure {
  /** A short name: the first column. The method says the rest. */
  work: string;
  value: number;
  unit: Unit;
  anchor: { name: string; value: number };
  /** Absent for a figure that is shown for comparison only. */
  goal?: { text: string; met: boolean };
  /** Broken promises, such as lost events. A run with one of them fails, however fast it was. */
  faults?: readonly string[];
}

/** Characters of a figure's name. */
export const LONGEST_NAME = 22;

export type Unit = "ms" | "MB" | "kB" | "events/s";

export type Size = "full" | "tiny";

export interface Outcome {
  figures: Figure[];
  /** How it was measured, with counts and warm-up. */
  method: string;
  /** Why nothing was measured, where something that it needs could not be had. */
  skipped?: string;
}

export interface Measurement {
  name: string;
  run(size: Size): Promise<Outcome>;
}

/** A measurement that can also be made in few rounds, for a look at its goals after each change. */
export interface BriefMeasurement extends Measurement {
  run(size: Size | "brief"): Promise<Outcome>;
}

export function under(limit: number, unit: Unit, value: number): Figure["goal"] {
  return { text: `under ${limit} ${unit}`, met: value < limit };
}
