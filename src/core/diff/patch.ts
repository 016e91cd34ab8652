import { linesOf } from "./lines.ts";

/** A place of a file that differs: lines with their ends, as they were and as they are. */
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

/** Reads the hunks of one file's unified diff. Whatever stands before the first of them is its head. */
export function parseDiff(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let last: string[][] = [];
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const head = HEAD.exec(line);
    if (head) {
      const start = Number(head[1]);
      // Where nothing was, the number is that of the line before.
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

/** The way back. */
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

/** Where the old lines are: at their place, or the nearest one if what is around them has moved. */
function placeOf(lines: readonly string[], at: number, wanted: readonly string[], from: number): number | undefined {
  if (fits(lines, at, wanted) && at >= from) return at;
  // Without a line to go by, any place would do, and none is right.
  if (wanted.length === 0) return undefined;
  for (let away = 1; away <= lines.length; away++) {
    for (const place of [at - away, at + away]) if (place >= from && fits(lines, place, wanted)) return place;
  }
  return undefined;
}

/** The text with all hunks applied, or undefined when one of them does not fit. */
export function applyHunks(text: string, hunks: readonly Hunk[]): string | undefined {
  const lines = linesOf(text);
  let moved = 0;
  let from = 0;
  for (const { at, before, after } of hunks) {
    const place = placeOf(lines, at + moved, before, from);
    if (place === undefined) return undefined;
    lines.splice(place, before.length, ...after);
    moved = place - at + after.length - before.length;
    from = place + after.length;
  }
  return lines.join("");
}
