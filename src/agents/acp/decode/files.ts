import { unifiedDiff } from "../../../core/diff/unified-diff.ts";
import type { FileChange } from "../../../core/events/values.ts";
import { ruledPath } from "../../../core/permissions/paths.ts";
import type { Diff } from "./content.ts";

/** A file's content as it is now; undefined where there is none, or it is not to be read. */
export type ReadFile = (path: string) => string | undefined;

/** The text with one piece replaced; undefined where the piece is not there exactly once. */
function replaced(text: string, piece: string, by: string): string | undefined {
  const at = piece === "" ? -1 : text.indexOf(piece);
  if (at < 0 || text.indexOf(piece, at + 1) >= 0) return undefined;
  return text.slice(0, at) + by + text.slice(at + piece.length);
}

/** The file before a change of which the program may have told a part. */
function undone(now: string, { before, after }: Diff): string | undefined {
  return now === after ? before : replaced(now, after, before ?? "");
}

function changeOf(path: string, diffs: readonly Diff[], now: string | undefined): FileChange[] {
  const [first] = diffs;
  if (!first) return [];
  if (first.before === undefined && diffs.length === 1)
    return [{ path, kind: "added", ...unifiedDiff(path, undefined, first.after) }];
  const whole = diffs.reduceRight<string | undefined>(
    (text, diff) => (text === undefined ? text : undone(text, diff)),
    now,
  );
  if (whole !== undefined && now !== undefined) return [{ path, kind: "modified", ...unifiedDiff(path, whole, now) }];
  return diffs.map(({ before = "", after }) => ({ path, kind: "modified", ...unifiedDiff(path, before, after) }));
}

/**
 * The files of a call's diffs. Some agents tell whole files and some only the lines that changed, and nothing says which: the file as it is now tells, and
 * gives the lines their numbers.
 */
export function filesOf(diffs: readonly Diff[], directory: string, read: ReadFile): FileChange[] {
  const byPath = Map.groupBy(diffs, ({ path }) => ruledPath(directory, path));
  return [...byPath].flatMap(([path, ofFile]) => changeOf(path, ofFile, read(path)));
}
