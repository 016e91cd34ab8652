/** Numbers of events, both included. */
export interface Range {
  from: number;
  to: number;
}

/** Ranges that touch become one: however often the end is taken back, there are few. */
export function addCut(before: readonly Range[], more: Range): Range[] {
  const apart = before.filter(({ from, to }) => to + 1 < more.from || from > more.to + 1);
  const joined = before
    .filter((range) => !apart.includes(range))
    .reduce((all, { from, to }) => ({ from: Math.min(all.from, from), to: Math.max(all.to, to) }), more);
  return [...apart, joined];
}

/** Whether an event belongs to a turn that was taken back. */
export function isCut(cuts: readonly Range[] | undefined, seq: number): boolean {
  return cuts?.some(({ from, to }) => from <= seq && seq <= to) ?? false;
}
