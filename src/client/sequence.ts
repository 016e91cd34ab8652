export type Order = "next" | "repeat" | "hole";

/**
 * The order of an event after a cursor. Numbers that were folded right before it count as seen: they were
 * deltas, and the completed items hold their text.
 */
export function orderOf(cursor: number, event: { seq: number; folded?: number }): Order {
  if (event.seq <= cursor) return "repeat";
  return event.seq - (event.folded ?? 0) - 1 <= cursor ? "next" : "hole";
}

/** The number in a cursor such as `ses_x:12`, `all:12` or `12`. */
export function numberIn(cursor: string): number | undefined {
  const digits = /^(?:[\w-]+:)?(\d{1,15})$/.exec(cursor)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
