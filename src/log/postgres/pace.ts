/** The time between two statements that each carry what has come since the last one. */
export interface Pace {
  shortestMs: number;
  longestMs: number;
  /** Each thing that one carried keeps the next one away for so long. */
  perThingMs: number;
}

/**
 * How long after one statement the next may begin. Where little is stored it comes soon; under load there are fewer, each
 * for more, because they take the database's time from the appends.
 */
export function pauseAfter(carried: number, { shortestMs, longestMs, perThingMs }: Pace): number {
  return Math.min(Math.max(carried * perThingMs, shortestMs), longestMs);
}
