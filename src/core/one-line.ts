/** Control characters, and those that turn the direction of the text around them. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/** A text on one line, for places that have one: each run of white space and control characters is a single space. */
export function oneLine(text: string): string {
  return text.replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
}
