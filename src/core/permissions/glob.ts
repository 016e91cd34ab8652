import { fitsStars, type SignFits } from "../stars.ts";

/** Stands in a text for characters that are not known beforehand: the value of a variable, the names that a glob finds. */
export const HOLE = "\0";

/** `*` stands for any run of characters, `?` for one; a `*` after a last blank also for nothing at all, blank included. */
export function matches(glob: string, text: string): boolean {
  return (glob.endsWith(" *") && fitsStars(glob.slice(0, -2), text, fits)) || fitsStars(glob, text, fits);
}

/** A hole is fitted by a star only, so that a fit holds for every value of the hole. */
const fits: SignFits = (sign, char) => char !== HOLE && (sign === "?" || sign === char);

/** A longer text with holes is not compared: it counts as a possible match. */
const LONGEST = 2_048;

/** Whether some value of the holes makes the glob fit the text. */
export function mightMatch(glob: string, text: string): boolean {
  if (!text.includes(HOLE)) return matches(glob, text);
  if (text.length > LONGEST) return true;
  return (glob.endsWith(" *") && meets(glob.slice(0, -2), text)) || meets(glob, text);
}

/** Whether a glob and a text with holes have a text in common: follows the set of reachable indexes of the glob through the text. */
function meets(glob: string, text: string): boolean {
  let here = stars(glob, new Set([0]));
  // By UTF-16 units, like the glob.
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    const next = new Set<number>();
    if (char === HOLE) {
      let first = glob.length;
      for (const at of here) first = Math.min(first, at);
      for (let at = first; at <= glob.length; at++) next.add(at);
    } else {
      for (const at of here) {
        if (glob[at] === "*") next.add(at);
        else if (glob[at] === "?" || glob[at] === char) next.add(at + 1);
      }
    }
    if (next.size === 0) return false;
    here = stars(glob, next);
  }
  return here.has(glob.length);
}

/** A star may also stand for nothing. */
function stars(glob: string, indexes: Set<number>): Set<number> {
  for (const at of indexes) if (glob[at] === "*") indexes.add(at + 1);
  return indexes;
}

/** Whether a glob fits every text there is. */
export function fitsAll(glob: string): boolean {
  return /^\*+$/.test(glob);
}

/** The text of a glob before its first wildcard. */
export function literalStart(glob: string): string {
  const at = glob.search(/[*?]/);
  return at < 0 ? glob : glob.slice(0, at);
}
