/** The cost of each value beside its characters: its name, its quotes and its place. */
const EACH = 8;

/** About how many characters a value has as JSON: enough to tell what is too much for one go. */
export function weightOf(value: unknown): number {
  if (typeof value === "string") return value.length + EACH;
  if (typeof value !== "object" || value === null) return EACH;
  let weight = EACH;
  if (Array.isArray(value)) for (const one of value) weight += weightOf(one);
  else for (const name in value) weight += weightOf((value as Record<string, unknown>)[name]);
  return weight;
}

/** Cuts a list where its weight would be over the limit; a piece has at least one. `ends` says after which a piece may end. */
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
