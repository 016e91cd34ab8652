/** A line of a unified diff with its numbers. */
export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
  old?: number;
  new?: number;
}

export interface DiffHunk {
  /** The words behind the numbers of its head, such as the function that it is in. */
  head: string;
  /** The lines of the file that come before it and are not shown; none where the file is not known to have any. */
  skipped: number;
  lines: readonly DiffLine[];
}

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** The hunks of one file's unified diff, for the eye. Whatever is no diff gives none. */
export function diffLines(diff: string): DiffHunk[] {
  const hunks: (DiffHunk & { lines: DiffLine[] })[] = [];
  let old = 0;
  let fresh = 0;
  let end = 1;
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const head = HEAD.exec(line);
    if (head) {
      old = Number(head[1]) + (head[2] === "0" ? 1 : 0);
      fresh = Number(head[3]) + (head[4] === "0" ? 1 : 0);
      hunks.push({ head: head[5] ?? "", skipped: Math.max(0, old - end), lines: [] });
      continue;
    }
    const lines = hunks.at(-1)?.lines;
    if (!lines) continue;
    const text = line.slice(1);
    if (line[0] === "+") lines.push({ kind: "added", text, new: fresh++ });
    else if (line[0] === "-") lines.push({ kind: "removed", text, old: old++ });
    else if (line[0] !== "\\") lines.push({ kind: "same", text, old: old++, new: fresh++ });
    end = old;
  }
  return hunks;
}

/** The pairs of removed and added lines that stand for each other, by their places in a hunk. */
export function changedPairs(lines: readonly DiffLine[]): [removed: number, added: number][] {
  const pairs: [number, number][] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = at;
    while (lines[at]?.kind === "removed") at++;
    const added = at;
    while (lines[at]?.kind === "added") at++;
    if (added - removed === at - added) for (let i = 0; i < added - removed; i++) pairs.push([removed + i, added + i]);
    if (at === removed) at++;
  }
  return pairs;
}

const LOCKS = /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|[^/]*\.lock|pnpm-lock\.yaml|go\.sum|bun\.lockb)$/;
const MOST_LINES = 400;

/** Whether a diff is shown only on demand: it is long, or a program wrote the file. */
export function isBulky(path: string, hunks: readonly DiffHunk[]): boolean {
  return LOCKS.test(path) || hunks.reduce((sum, { lines }) => sum + lines.length, 0) > MOST_LINES;
}
