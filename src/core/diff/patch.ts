import { linesOf } from "./lines.ts";

/** A part of a file that differs: its lines with their line feeds, before and after. */
export interface Hunk {
  /** Number of the first old line, from 0. */
  at: number;
  before: string[];
  after: string[];
}

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/;
const NO_END = "\\";

function strip(lines: string[]): void {
  const last = lines.pop();
  if (last !== undefined) lines.push(last.replace(/\n$/, ""));
}

/** Reads the hunks of one file's unified diff. Lines before the first hunk are skipped. */
export function parseDiff(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let last: string[][] = [];
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const head = HEAD.exec(line);
    if (head) {
      const start = Number(head[1]);
      // For a hunk without old lines, the number is that of the line before it.
      hunk = { at: head[2] === "0" ? start : start - 1, before: [], after: [] };
      hunks.push(hunk);
      continue;
    }
    if (!hunk) continue;
    const sign = line[0] ?? " ";
    const text = `${line.slice(1)}\n`;
    if (sign === NO_END) for (const lines of last) strip(lines);
    else {
      last = sign === "-" ? [hunk.before] : sign === "+" ? [hunk.after] : [hunk.before, hunk.after];
      for (const lines of last) lines.push(text);
    }
  }
  return hunks;
}

/** The hunks that undo these hunks. */
export function reversed(hunks: readonly Hunk[]): Hunk[] {
  let moved = 0;
  return hunks.map(({ at, before, after }) => {
    const hunk = { at: at + moved, before: after, after: before };
    moved += after.length - before.length;
    return hunk;
  });
}

function fits(lines: readonly string[], at: number, wanted: readonly string[]): boolean {
  return at >= 0 && at + wanted.length <= lines.length && wanted.every((line, offset) => lines[at + offset] === line);
}

/** The number of the line at which the old lines are found: the expected one, else the nearest. */
function lineOf(lines: readonly string[], at: number, wanted: readonly string[], from: number): number | undefined {
  if (fits(lines, at, wanted) && at >= from) return at;
  // A hunk without old lines would fit anywhere, so it fits nowhere but at its own line.
  if (wanted.length === 0) return undefined;
  for (let away = 1; away <= lines.length; away++) {
    for (const line of [at - away, at + away]) if (line >= from && fits(lines, line, wanted)) return line;
  }
  return undefined;
}

/** The text with all hunks applied, or undefined when one of them does not fit. */
export function applyHunks(text: string, hunks: readonly Hunk[]): string | undefined {
  const lines = linesOf(text);
  let moved = 0;
  let from = 0;
  for (const { at, before, after } of hunks) {
    const line = lineOf(lines, at + moved, before, from);
    if (line === undefined) return undefined;
    lines.splice(line, before.length, ...after);
    moved = line - at + after.length - before.length;
    from = line + after.length;
  }
  return lines.join("");
}
