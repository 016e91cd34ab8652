/** The offsets of time zones from UTC are whole quarters of an hour, and so are their changes. */
const QUARTER_MS = 15 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** No place is further from UTC. */
const FURTHEST_MS = 15 * 60 * 60_000;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The day of a moment, as `2026-11-17`. */
export type DayOf = (time: number) => string;

/** The days of a time zone; undefined where nobody knows a zone of that name. */
export function daysIn(timeZone: string): DayOf | undefined {
  const format = formatOf(timeZone);
  if (!format) return undefined;
  const known = new Map<number, string>();
  return (time) => {
    const quarter = Math.floor(time / QUARTER_MS);
    const day = known.get(quarter) ?? format.format(quarter * QUARTER_MS);
    known.set(quarter, day);
    return day;
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    // Sweden writes days as ISO 8601 does.
    return new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  } catch {
    return undefined;
  }
}

/** A day of the calendar, such as 2026-02-28. */
export function isDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Moments that may lie on these days in some zone: none that does is left out. */
export function boundsOf(from: string | undefined, to: string | undefined): { from?: number; to?: number } {
  return {
    ...(from === undefined ? {} : { from: Date.parse(`${from}T00:00:00Z`) - FURTHEST_MS }),
    ...(to === undefined ? {} : { to: Date.parse(`${to}T00:00:00Z`) + DAY_MS + FURTHEST_MS }),
  };
}
