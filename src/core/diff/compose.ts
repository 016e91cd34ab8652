import { parseDiff } from "./patch.ts";
import { partDiff } from "./unified-diff.ts";

/** Lines of the text between two changes, and the lines that stand for them on the other side of one of the changes. */
interface Span {
  from: number;
  to: number;
  here: readonly string[];
  there: readonly string[];
}

/** Spans that touch each other. Every line between its ends is in one of them. */
interface Cluster {
  from: number;
  to: number;
  older: Span[];
  newer: Span[];
}

/** The spans of a diff over the text that it leads to (`new`), or that it begins with (`old`). */
function spansOf(diff: string, side: "old" | "new"): Span[] | undefined {
  let moved = 0;
  let end = 0;
  const spans: Span[] = [];
  for (const { at, before, after } of parseDiff(diff)) {
    const from = side === "old" ? at : at + moved;
    const [here, there] = side === "old" ? [before, after] : [after, before];
    if (from < end) return undefined;
    end = from + here.length;
    spans.push({ from, to: end, here, there });
    moved += after.length - before.length;
  }
  return spans;
}

function clustersOf(older: readonly Span[], newer: readonly Span[]): Cluster[] {
  const all = [...older.map((span) => ({ span, isOlder: true })), ...newer.map((span) => ({ span, isOlder: false }))];
  const clusters: Cluster[] = [];
  for (const { span, isOlder } of all.sort((a, b) => a.span.from - b.span.from || a.span.to - b.span.to)) {
    let last = clusters.at(-1);
    if (!last || span.from > last.to) {
      last = { from: span.from, to: span.to, older: [], newer: [] };
      clusters.push(last);
    }
    last.to = Math.max(last.to, span.to);
    (isOlder ? last.older : last.newer).push(span);
  }
  return clusters;
}

/** The lines of a cluster between the changes; undefined where the two diffs do not agree about one. */
function linesBetween({ from, to, older, newer }: Cluster): string[] | undefined {
  const lines = new Array<string | undefined>(to - from).fill(undefined);
  for (const span of [...older, ...newer]) {
    for (const [at, line] of span.here.entries()) {
      const place = span.from - from + at;
      if (lines[place] !== undefined && lines[place] !== line) return undefined;
      lines[place] = line;
    }
  }
  return lines.every((line) => line !== undefined) ? lines : undefined;
}

/** The cluster's lines on the other side of one of the changes. */
function beyond(lines: readonly string[], from: number, spans: readonly Span[]): string {
  const found: string[] = [];
  let at = 0;
  for (const span of spans) {
    for (; at < span.from - from; at++) found.push(lines[at] ?? "");
    found.push(...span.there);
    at = span.to - from;
  }
  return [...found, ...lines.slice(at)].join("");
}

function growth(spans: readonly Span[]): number {
  return spans.reduce((sum, { here, there }) => sum + there.length - here.length, 0);
}

/**
 * The hunks of two changes of one file, the second made after the first, as those of one change. Undefined where the diffs do
 * not fit together: some agents tell diffs whose line numbers are not those of the file.
 */
export function composeHunks(first: string, second: string): string | undefined {
  const older = spansOf(first, "new");
  const newer = spansOf(second, "old");
  if (!older || !newer) return undefined;
  let [old, now] = [0, 0];
  let text = "";
  for (const cluster of clustersOf(older, newer)) {
    const lines = linesBetween(cluster);
    if (!lines) return undefined;
    const { from } = cluster;
    const before = beyond(lines, from, cluster.older);
    const after = beyond(lines, from, cluster.newer);
    text += partDiff({ old: from + old, now: from + now, before, after });
    old += growth(cluster.older);
    now += growth(cluster.newer);
  }
  return text;
}
