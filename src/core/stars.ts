/** Whether a sign of a pattern, other than a star, stands for a character of a text. */
export type SignFits = (sign: string, char: string) => boolean;

const sameSign: SignFits = (sign, char) => sign === char;

/**
 * Whether a pattern fits a whole text. A `*` stands for any run of characters; `fits` says what other signs stand for.
 * The walk goes back to the last star only: earlier stars have taken the least they can, so that no pattern takes longer
 * than its length times the text's.
 */
export function fitsStars(pattern: string, text: string, fits: SignFits = sameSign): boolean {
  let at = 0;
  let star = -1;
  let from = 0;
  for (let i = 0; i < text.length; ) {
    const sign = pattern[at];
    if (sign === "*") {
      if (at === pattern.length - 1) return true;
      star = at++;
      from = i;
    } else if (sign !== undefined && fits(sign, text[i] ?? "")) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++from;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
