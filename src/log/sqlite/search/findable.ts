/** Positions that are remembered at most; others are looked for in the log. */
const MOST = 10_000;

/** Remembers where the events are that can be found, so that the index does not read the many deltas between them. `since` is a position behind which all of them are told. */
export function createFindable(since: number, most = MOST) {
  let positions: number[] = [];
  let known = since;
  return {
    /** An event that can be found was stored. */
    add(position: number): void {
      if (positions.length < most) positions.push(position);
      else {
        positions = [];
        known = position;
      }
    },
    /** A position, from the given one on, up to which nothing can be found that is not indexed. */
    before(indexed: number, top: number): number {
      if (indexed < known) return indexed;
      // An index that is made anew begins at the start of the log: what is forgotten here is read there.
      known = indexed;
      positions = positions.filter((position) => position > indexed);
      return (positions[0] ?? top + 1) - 1;
    },
  };
}
