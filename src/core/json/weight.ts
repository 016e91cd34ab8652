/** The cost of each value beside its characters: its name, its quotes and its comma. */
export const EACH = 8;

/** The length of a value as JSON, about: enough to see that it is too much for one write. It is not counted on above `enough`. */
export function weightOf(value: unknown, enough = Number.POSITIVE_INFINITY): number {
  if (typeof value === "string") return value.length + EACH;
  if (typeof value !== "object" || value === null) return EACH;
  let weight = EACH;
  if (Array.isArray(value)) {
    for (const one of value) {
      weight += weightOf(one, enough - weight);
      if (weight > enough) break;
    }
    return weight;
  }
  for (const name in value) {
    weight += weightOf((value as Record<string, unknown>)[name], enough - weight);
    if (weight > enough) break;
  }
  return weight;
}

/** Cuts a list into pieces of about a weight; each holds at least one entry. `ends` says after which entries a piece may end. */
export function piecesOf<T>(
  list: readonly T[],
  limit: number,
  weigh: (one: T) => number,
  ends: (one: T) => boolean = () => true,
): T[][] {
  const pieces: T[][] = [];
  let piece: T[] = [];
  let weight = 0;
  for (const one of list) {
    piece.push(one);
    weight += weigh(one);
    if (weight < limit || !ends(one)) continue;
    pieces.push(piece);
    piece = [];
    weight = 0;
  }
  return piece.length > 0 ? [...pieces, piece] : pieces;
}
