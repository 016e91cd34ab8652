/** The cost of each value beside its characters: its name, its quotes and its comma. */
const EACH = 8;

/** The length of a value as JSON, about: enough to see that it is too much for one write. */
export function weightOf(value: unknown): number {
  if (typeof value === "string") return value.length + EACH;
  if (typeof value !== "object" || value === null) return EACH;
  let weight = EACH;
  if (Array.isArray(value)) for (const one of value) weight += weightOf(one);
  else for (const name in value) weight += weightOf((value as Record<string, unknown>)[name]);
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
