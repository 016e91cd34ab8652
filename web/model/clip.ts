/** A long text cut in the middle. */
export interface Clipped {
  head: string;
  /** The lines that are left out, and what comes after them. */
  left?: number;
  tail?: string;
}

const HEAD_LINES = 24;
const TAIL_LINES = 24;
/** A few lines more are shown rather than cut. */
const SPARE = 12;
const MAX_CHARACTERS = 24_000;

function lineEnds(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return text.length;
  }
  return at;
}

function lineStarts(text: string, lines: number): number {
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let line = 0; line < lines; line++) {
    at = text.lastIndexOf("\n", at - 1);
    if (at < 0) return 0;
  }
  return at + 1;
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Cuts long output in the middle: people look at how it began and how it ended. */
export function clip(text: string): Clipped {
  const enough = lineEnds(text, HEAD_LINES + TAIL_LINES + SPARE) >= text.length;
  if (enough && text.length <= MAX_CHARACTERS) return { head: text };
  const to = Math.min(lineEnds(text, HEAD_LINES), MAX_CHARACTERS / 2);
  const from = Math.max(lineStarts(text, TAIL_LINES), text.length - MAX_CHARACTERS / 2, to);
  return { head: text.slice(0, to), left: Math.max(0, countLines(text.slice(to, from)) - 2), tail: text.slice(from) };
}
