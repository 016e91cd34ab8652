import { structuredPatch } from "diff";
import { cutDiff, leftOutLine, MAX_DIFF } from "./bounded-diff.ts";
import { lineStart, linesOf } from "./lines.ts";

const CONTEXT = 3;

/** Bounds of the comparison, line by line: it costs the lines, and the square of the changed lines. */
const MAX_CHARACTERS = 12_000_000;
const MAX_LINES = 150_000;
const MAX_CHANGED = 800;
/** Only long lines that differ at their ends need so much time. */
const MAX_MS = 1_000;

export interface Diff {
  /** Unified, with a hunk for each place that differs. */
  diff: string;
  additions: number;
  deletions: number;
  /** Set when the diff is not whole: the number of characters that are missing. */
  cut?: { characters: number };
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** With their signs and without line feeds. */
  lines: string[];
}

/** The number of lines in a part of a text, counted without splitting it. */
function countLines(text: string, from = 0, to = text.length): number {
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
function linesBefore(text: string, index: number): string {
  let from = index;
  for (let count = 0; count < CONTEXT && from > 0; count++) from = lineStart(text, from - 1);
  return text.slice(from, index);
}

function linesAfter(text: string, index: number): string {
  let to = index;
  for (let count = 0; count < CONTEXT && to < text.length; count++) to = text.indexOf("\n", to) + 1 || text.length;
  return text.slice(index, to);
}

function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start}${count === 1 ? "" : `,${count}`}`;
}

function signed(sign: string, text: string): string[] {
  return linesOf(text).flatMap((line) =>
    line.endsWith("\n") ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, "\\ No newline at end of file"],
  );
}

/** Whole lines of a text, up to a limit. */
function head(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, lineStart(text, limit));
}

function hunkText({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.join("\n")}\n`;
}

/** The part of two texts that differs, with the lines around it. */
interface Part {
  lead: string;
  gone: string;
  come: string;
  trail: string;
  /** Lines of the texts before the part. */
  skipped: number;
}

function differingPart(a: string, b: string): Part {
  const start = commonStart(a, b);
  const end = commonEnd(a, b, start);
  const lead = linesBefore(a, start);
  return {
    lead,
    gone: a.slice(start, a.length - end),
    come: b.slice(start, b.length - end),
    trail: linesAfter(a, a.length - end),
    skipped: countLines(a, 0, start - lead.length),
  };
}

/** Whether more lines differ than are compared one by one. Lines that only one of the texts has are changed in any case; to count them costs the lines alone. */
function differsWidely(gone: string, come: string): boolean {
  const counts = new Map<string, number>();
  for (const line of linesOf(gone)) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of linesOf(come)) counts.set(line, (counts.get(line) ?? 0) - 1);
  let changed = 0;
  for (const count of counts.values()) changed += Math.abs(count);
  return changed > MAX_CHANGED;
}

/** A hunk for each place that differs; undefined when that is one hunk at most, or when finding them would take too long. */
function fineHunks({ lead, gone, come, trail, skipped }: Part): Hunk[] | undefined {
  if (gone === "" || come === "" || gone.length + come.length > MAX_CHARACTERS) return undefined;
  if (countLines(gone) + countLines(come) > MAX_LINES || differsWidely(gone, come)) return undefined;
  const [before, after] = [lead + gone + trail, lead + come + trail];
  const options = { context: CONTEXT, maxEditLength: MAX_CHANGED, timeout: MAX_MS };
  const patch = structuredPatch("a", "b", before, after, undefined, undefined, options);
  return patch?.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + skipped,
    newStart: hunk.newStart + skipped,
  }));
}

/** One hunk around everything that differs, with the beginning of the old and of the new lines. */
function coarseHunk({ lead, gone, come, trail, skipped }: Part, limit: number): { hunk: Hunk; cut?: Diff["cut"] } {
  const whole = gone.length + come.length <= limit;
  const [removed, added] = whole ? [gone, come] : [head(gone, limit / 2), head(come, limit / 2)];
  const characters = gone.length + come.length - removed.length - added.length;
  const end = whole ? trail : leftOutLine(characters);
  const beside = countLines(lead) + countLines(end);
  const hunk = {
    oldStart: skipped + 1,
    oldLines: beside + countLines(removed),
    newStart: skipped + 1,
    newLines: beside + countLines(added),
    lines: [...signed(" ", lead), ...signed("-", removed), ...signed("+", added), ...signed(" ", end)],
  };
  return { hunk, ...(whole ? {} : { cut: { characters } }) };
}

/** The diff that turns one text into another; `before` is undefined for a new file. Of a long diff only the beginning is kept. */
export function unifiedDiff(path: string, before: string | undefined, after: string, limit = MAX_DIFF): Diff {
  const a = before ?? "";
  const names = `--- ${before === undefined ? "/dev/null" : `a/${path}`}\n+++ b/${path}\n`;
  if (a === after) return { diff: names, additions: 0, deletions: 0 };
  const part = differingPart(a, after);
  const hunks = fineHunks(part);
  if (!hunks) {
    const { hunk, ...rest } = coarseHunk(part, limit);
    return {
      diff: names + hunkText(hunk),
      additions: countLines(part.come),
      deletions: countLines(part.gone),
      ...rest,
    };
  }
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { ...cutDiff(names + hunks.map(hunkText).join(""), limit), additions: count("+"), deletions: count("-") };
}

/** Where a part of a file begins: so many lines are before it, in the old and in the new file. */
export interface PlacedPart {
  old: number;
  now: number;
  before: string;
  after: string;
}

/** The hunks of a part of a file, as text. */
export function partDiff({ old, now, before, after }: PlacedPart): string {
  if (before === after) return "";
  const part = differingPart(before, after);
  const hunks = fineHunks(part) ?? [coarseHunk(part, Number.POSITIVE_INFINITY).hunk];
  return hunks
    .map((hunk) => hunkText({ ...hunk, oldStart: hunk.oldStart + old, newStart: hunk.newStart + now }))
    .join("");
}
