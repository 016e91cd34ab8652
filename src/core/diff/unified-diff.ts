import { leftOutLine, MAX_DIFF } from "./bounded-diff.ts";
import { lineStart, linesOf } from "./lines.ts";

const CONTEXT = 3;

export interface Diff {
  /** Unified, with one hunk around everything that differs. */
  diff: string;
  additions: number;
  deletions: number;
  /** Set when the diff is not whole: the number of characters that are missing. */
  cut?: { characters: number };
}

/** The number of lines in a part of a text, counted without splitting it. */
function countLines(text: string, from: number, to: number): number {
  let count = 0;
  let at = from;
  while (at < to) {
    const end = text.indexOf("\n", at);
    at = end < 0 || end >= to ? to : end + 1;
    count += 1;
  }
  return count;
}

/** The index at which the first different line begins. */
function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return lineStart(a, at);
}

/** The number of characters of whole lines that are the same at the end. */
function commonEnd(a: string, b: string, start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let size = 0;
  while (size < most && a.charCodeAt(a.length - 1 - size) === b.charCodeAt(b.length - 1 - size)) size++;
  const begins = (text: string): boolean => {
    const at = text.length - size;
    return at === start || text[at - 1] === "\n";
  };
  if (begins(a) && begins(b)) return size;
  const next = a.indexOf("\n", a.length - size);
  return next < 0 ? 0 : a.length - next - 1;
}

/** The last lines of a text before an index. */
function linesBefore(text: string, index: number): string[] {
  let from = index;
  for (let count = 0; count < CONTEXT && from > 0; count++) from = lineStart(text, from - 1);
  return linesOf(text.slice(from, index));
}

function linesAfter(text: string, index: number): string[] {
  let to = index;
  for (let count = 0; count < CONTEXT && to < text.length; count++) to = text.indexOf("\n", to) + 1 || text.length;
  return linesOf(text.slice(index, to));
}

function range(start: number, count: number): string {
  return `${count === 0 ? start : start + 1}${count === 1 ? "" : `,${count}`}`;
}

function signed(sign: string, lines: readonly string[]): string {
  return lines
    .map((line) => (line.endsWith("\n") ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`))
    .join("");
}

/** Whole lines of a text, up to a limit. */
function head(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, lineStart(text, limit));
}

/** The diff that turns one text into another; `before` is undefined for a new file. Of a long diff only the beginning is kept. */
export function unifiedDiff(path: string, before: string | undefined, after: string, limit = MAX_DIFF): Diff {
  const a = before ?? "";
  const names = `--- ${before === undefined ? "/dev/null" : `a/${path}`}\n+++ b/${path}\n`;
  if (a === after) return { diff: names, additions: 0, deletions: 0 };
  const start = commonStart(a, after);
  const end = commonEnd(a, after, start);
  const gone = a.slice(start, a.length - end);
  const come = after.slice(start, after.length - end);
  const whole = gone.length + come.length <= limit;
  const [removed, added] = whole ? [gone, come] : [head(gone, limit / 2), head(come, limit / 2)];
  const characters = gone.length + come.length - removed.length - added.length;
  const lead = linesBefore(a, start);
  const trail = whole ? linesAfter(a, a.length - end) : [leftOutLine(characters)];
  const [minus, plus] = [linesOf(removed), linesOf(added)];
  const from = countLines(a, 0, start) - lead.length;
  const around = lead.length + trail.length;
  const body = signed(" ", lead) + signed("-", minus) + signed("+", plus) + signed(" ", trail);
  return {
    diff: `${names}@@ -${range(from, around + minus.length)} +${range(from, around + plus.length)} @@\n${body}`,
    additions: countLines(come, 0, come.length),
    deletions: countLines(gone, 0, gone.length),
    ...(whole ? {} : { cut: { characters } }),
  };
}
