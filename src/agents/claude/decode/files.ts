import { missingFrom } from "../../../core/diff/bounded-diff.ts";
import { unifiedDiff } from "../../../core/diff/unified-diff.ts";
import type { FileChange } from "../../../core/events/values.ts";
import { type Fields, listIn, numberIn, textIn } from "../../../core/json/fields.ts";
import { shownPath } from "../tool-title.ts";

const CHANGERS: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

/** The files that a call has changed: with their diff where the program gave a patch, else by their name alone. */
export function filesOf(name: string, input: Fields, account: Fields, directory: string): FileChange[] {
  if (!CHANGERS.has(name)) return [];
  const absolute =
    textIn(account, "filePath") ??
    textIn(account, "notebook_path") ??
    textIn(input, "file_path") ??
    textIn(input, "notebook_path");
  if (absolute === undefined) return [];
  const path = shownPath(directory, absolute);
  const added = account.originalFile === null && textIn(account, "type") === "create";
  if (added) return [{ path, kind: "added", ...addedDiff(path, textIn(account, "content") ?? "") }];
  return [{ path, kind: "modified", ...patchDiff(path, listIn(account, "structuredPatch")) }];
}

type Diff = Pick<FileChange, "diff" | "additions" | "deletions" | "cut">;

const range = (start: number, count: number): string => (count === 1 ? `${start}` : `${start},${count}`);

function linesOf(hunk: Fields): string[] {
  const { lines } = hunk;
  return Array.isArray(lines) ? lines.filter((line) => typeof line === "string") : [];
}

/** Lines that a hunk should have and has not: of a line that was too long, or where one of them was cut. */
function missingLines(hunk: Fields): number {
  const lines = linesOf(hunk);
  const count = (other: string): number => lines.filter((line) => !line.startsWith(other) && line[0] !== "\\").length;
  const missing = (name: string, other: string): number => (numberIn(hunk, name) ?? 0) - count(other);
  const cut = lines.some((line) => missingFrom(line) > 0) ? 1 : 0;
  return Math.max(cut, missing("oldLines", "+"), missing("newLines", "-"));
}

function patchDiff(path: string, hunks: readonly Fields[]): Diff {
  if (hunks.length === 0) return {};
  const parts = hunks.map((hunk) => {
    const from = range(numberIn(hunk, "oldStart") ?? 1, numberIn(hunk, "oldLines") ?? 0);
    const to = range(numberIn(hunk, "newStart") ?? 1, numberIn(hunk, "newLines") ?? 0);
    return [`@@ -${from} +${to} @@`, ...linesOf(hunk)].join("\n");
  });
  const lines = hunks.flatMap(linesOf);
  const missing = hunks.reduce((sum, hunk) => sum + missingLines(hunk), 0);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return {
    diff: `--- a/${path}\n+++ b/${path}\n${parts.join("\n")}\n`,
    additions: count("+"),
    deletions: count("-"),
    // Their length is not known: each line had at least its sign and its line end.
    ...(missing > 0 ? { cut: { characters: 2 * missing } } : {}),
  };
}

/** A new file comes with its content instead of a patch. */
function addedDiff(path: string, content: string): Diff {
  const { cut, ...added } = unifiedDiff(path, undefined, content);
  const characters = missingFrom(content) + (cut?.characters ?? 0);
  return { ...added, ...(characters > 0 ? { cut: { characters } } : {}) };
}
