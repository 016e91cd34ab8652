export type Verdict = "next" | "repeat" | "hole";

/**
 * Whether an event is the one that must follow a cursor. Numbers that were folded right before it count as seen: they were
 * deltas, and the completed items hold their text.
 */
export function judge(cursor: number, event: { seq: number; folded?: number }): Verdict {
  if (event.seq <= cursor) return "repeat";
  return event.seq - (event.folded ?? 0) - 1 <= cursor ? "next" : "hole";
}

/** The number in a cursor such as `ses_x:12`, `all:12` or `12`. */
export function numberIn(cursor: string): number | undefined {
  const digits = /^(?:[\w-]+:)?(\d{1,15})$/.exec(cursor)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
