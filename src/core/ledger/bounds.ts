/** The most characters of an item's text: more are counted and left out. */
export const MAX_TEXT = 2 * 1024 * 1024;

/** A text that grows, and how many characters of it were left out so far. */
export interface Growing {
  text: string;
  left?: number;
}

/** The part of a delta that still fits, and the text with it. */
export function grow<T extends Growing>(before: T, delta: string): { after: T; delta: string } {
  const fits = delta.slice(0, Math.max(0, MAX_TEXT - before.text.length));
  const left = (before.left ?? 0) + delta.length - fits.length;
  const after = { ...before, text: before.text + fits };
  return { after: left > 0 ? { ...after, left } : after, delta: fits };
}

/** The words at the end of a text that say how much was left out. */
export function leftOutWords(left: number | undefined): string {
  return left ? `\n(… ${left} characters left out …)` : "";
}

/** A whole text, cut where it is too long. */
export function bounded(text: string): string {
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) + leftOutWords(text.length - MAX_TEXT) : text;
}
