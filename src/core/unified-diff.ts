const CONTEXT = 3;

export interface Diff {
  /** Unified, with one hunk around everything that differs. */
  diff: string;
  additions: number;
  deletions: number;
}

interface Lines {
  lines: string[];
  /** Whether the last line has its line feed. */
  ended: boolean;
}

function linesOf(text: string): Lines {
  if (text === "") return { lines: [], ended: true };
  const ended = text.endsWith("\n");
  return { lines: (ended ? text.slice(0, -1) : text).split("\n"), ended };
}

/** Lines are equal only if their ends are, too: the last one may lack its line feed. */
function keys({ lines, ended }: Lines): string[] {
  return lines.map((line, at) => (at === lines.length - 1 && !ended ? `${line}\n\\ No newline at end of file` : line));
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) - start && a.at(-1 - count) === b.at(-1 - count)) count++;
  return count;
}

function range(start: number, count: number): string {
  return `${count === 0 ? start : start + 1}${count === 1 ? "" : `,${count}`}`;
}

/** What turns one text into another; `before` is undefined for a new file. */
export function unifiedDiff(path: string, before: string | undefined, after: string): Diff {
  const a = keys(linesOf(before ?? ""));
  const b = keys(linesOf(after));
  const start = commonStart(a, b);
  const end = commonEnd(a, b, start);
  const removed = a.slice(start, a.length - end);
  const added = b.slice(start, b.length - end);
  const from = Math.max(0, start - CONTEXT);
  const lead = a.slice(from, start);
  const trail = a.slice(a.length - end, a.length - end + CONTEXT);
  const counts = [lead.length + removed.length + trail.length, lead.length + added.length + trail.length] as const;
  const body = [
    ...lead.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...trail.map((line) => ` ${line}`),
  ];
  const head = `--- ${before === undefined ? "/dev/null" : `a/${path}`}\n+++ b/${path}\n`;
  const hunk =
    removed.length + added.length === 0
      ? ""
      : `@@ -${range(from, counts[0])} +${range(from, counts[1])} @@\n${body.join("\n")}\n`;
  return { diff: head + hunk, additions: added.length, deletions: removed.length };
}
