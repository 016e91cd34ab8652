import { fitsStars, type SignFits } from "../stars.ts";

/** Stands in a text for characters that nobody can know beforehand: the value of a variable, the names that a glob finds. */
export const HOLE = "\0";

/** `*` stands for any run of characters, `?` for one; a `*` after a last blank also for nothing at all, blank included. */
export function matches(glob: string, text: string): boolean {
  return (glob.endsWith(" *") && fitsStars(glob.slice(0, -2), text, fits)) || fitsStars(glob, text, fits);
}

/** A hole is taken by a star and by nothing else, so that a fit holds whatever the hole turns out to be. */
const fits: SignFits = (sign, char) => char !== HOLE && (sign === "?" || sign === char);

/** A longer text with holes is not looked through: it might be anything. */
const LONGEST = 2_048;

/** Whether some value of the holes makes the glob fit the text. */
export function mightMatch(glob: string, text: string): boolean {
  if (!text.includes(HOLE)) return matches(glob, text);
  if (text.length > LONGEST) return true;
  return (glob.endsWith(" *") && meets(glob.slice(0, -2), text)) || meets(glob, text);
}

/** Both sides may stand for any run of characters: the places of the glob that can be reached are followed through the text. */
function meets(glob: string, text: string): boolean {
  let here = stars(glob, new Set([0]));
  // By the same units as the glob: a sign outside of the basic plane is two of them.
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
function stars(glob: string, places: Set<number>): Set<number> {
  for (const at of places) if (glob[at] === "*") places.add(at + 1);
  return places;
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
