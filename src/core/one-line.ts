/** Control characters, and those that turn the direction of the text around them. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

const LINE_ENDS = /[\r\n\v\f\u2028\u2029]+/;
const PUNCTUATED = /[,.:;?!]$/;

/** Prose on one line, for places that have one: each run of white space and control characters is a single space. */
export function proseLine(text: string): string {
  return text.replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
}

/** A message on one line: its lines are told apart by semicolons. */
export function oneLine(text: string): string {
  const lines = text.split(LINE_ENDS).flatMap((line) => proseLine(line) || []);
  const last = lines.length - 1;
  return lines.map((line, at) => (at === last || PUNCTUATED.test(line) ? line : `${line};`)).join(" ");
}
