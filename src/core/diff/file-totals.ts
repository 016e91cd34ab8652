import type { FileChange, FileTotal } from "../events/values.ts";

/** More files than this are not told apart: a list that goes with every turn must stay short. */
const MAX_FILES = 1_000;

/** A change counted line by line where the agent did not count. */
export function countLines({ diff = "", additions, deletions }: FileChange): { additions: number; deletions: number } {
  const lines = additions === undefined || deletions === undefined ? diff.split("\n") : [];
  const starting = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return { additions: additions ?? starting("+"), deletions: deletions ?? starting("-") };
}

/** What became of a file that is changed once more: one that was added stays added until it is deleted. */
export function laterKind<K extends string>(before: K | undefined, now: K): K | "added" {
  return before === "added" && now === "modified" ? "added" : now;
}

/** The files that were changed, each once, in the order in which they first were. */
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
