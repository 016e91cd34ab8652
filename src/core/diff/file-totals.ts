import type { FileChange, FileTotal } from "../events/values.ts";

/** The most files in a list of totals, which goes with every turn. */
const MAX_FILES = 1_000;

/** The lines that a change adds and deletes: as the agent counted them, else counted in the diff. */
export function countLines({ diff = "", additions, deletions }: FileChange): { additions: number; deletions: number } {
  const lines = additions === undefined || deletions === undefined ? diff.split("\n") : [];
  const first = lines.findIndex((line) => line.startsWith("@@ "));
  // The names of the files begin with the signs, too, but stand above the first hunk.
  const isName = (line: string, at: number): boolean => (first < 0 || at < first) && /^(\+\+\+|---)/.test(line);
  const starting = (sign: string): number =>
    lines.filter((line, at) => line.startsWith(sign) && !isName(line, at)).length;
  return { additions: additions ?? starting("+"), deletions: deletions ?? starting("-") };
}

/** The kind of change of a file that is changed once more: an added file stays added until it is deleted. */
export function laterKind<K extends string>(before: K | undefined, now: K): K | "added" {
  return before === "added" && now === "modified" ? "added" : now;
}

/** The changed files, each once, in the order of their first change. */
export function addTotals(before: readonly FileTotal[] | undefined, changes: readonly FileChange[]): FileTotal[] {
  const totals = new Map((before ?? []).map((total) => [total.path, total]));
  for (const change of changes) {
    const { path } = change;
    const known = totals.get(path);
    if (!known && totals.size >= MAX_FILES) continue;
    const { additions, deletions } = countLines(change);
    totals.set(path, {
      path,
      kind: laterKind(known?.kind, change.kind),
      additions: (known?.additions ?? 0) + additions,
      deletions: (known?.deletions ?? 0) + deletions,
    });
  }
  return [...totals.values()];
}
