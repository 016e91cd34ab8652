/** Numbers of events, both included. */
export interface Range {
  from: number;
  to: number;
}

/** The ranges with one more. Ranges that touch become one, so that there are few however often turns are cut. */
export function addCut(before: readonly Range[], more: Range): Range[] {
  const apart = before.filter(({ from, to }) => to + 1 < more.from || from > more.to + 1);
  const joined = before
    .filter((range) => !apart.includes(range))
    .reduce((all, { from, to }) => ({ from: Math.min(all.from, from), to: Math.max(all.to, to) }), more);
  return [...apart, joined];
}

/** Whether an event belongs to a turn that was cut. */
export function isCut(cuts: readonly Range[] | undefined, seq: number): boolean {
  return cuts?.some(({ from, to }) => from <= seq && seq <= to) ?? false;
}
