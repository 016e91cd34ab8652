import { cutDiff, MAX_DIFF } from "../../../core/diff/bounded-diff.ts";
import { unifiedDiff } from "../../../core/diff/unified-diff.ts";
import type { FileChange } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, listIn, textIn } from "../../../core/json/fields.ts";
import { ruledPath } from "../../../core/permissions/paths.ts";

function changed(path: string, from: string, hunks: string): Pick<FileChange, "diff" | "additions" | "deletions"> {
  const lines = hunks.split("\n");
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  const end = hunks === "" || hunks.endsWith("\n") ? "" : "\n";
  const diff = `--- a/${from}\n+++ b/${path}\n${hunks}${end}`;
  return { ...cutDiff(diff, MAX_DIFF), additions: count("+"), deletions: count("-") };
}

/** A file that is gone is told by its last content. */
function removed(path: string, content: string): Pick<FileChange, "diff" | "additions" | "deletions"> {
  const { diff, ...rest } = unifiedDiff(path, content, "");
  return { ...rest, diff: diff.replace(`+++ b/${path}\n`, "+++ /dev/null\n") };
}

function fileOf(change: Fields, directory: string): FileChange[] {
  const absolute = textIn(change, "path");
  if (absolute === undefined) return [];
  const kind = fieldsIn(change, "kind");
  const text = textIn(change, "diff") ?? "";
  const from = ruledPath(directory, absolute);
  const moved = textIn(kind, "move_path");
  const path = moved === undefined ? from : ruledPath(directory, moved);
  if (kind.type === "add") return [{ path, kind: "added", ...unifiedDiff(path, undefined, text) }];
  if (kind.type === "delete") return [{ path, kind: "deleted", ...removed(path, text) }];
  if (moved !== undefined) return [{ path, from, kind: "renamed", ...changed(path, from, text) }];
  return [{ path, kind: "modified", ...changed(path, from, text) }];
}

/** The files of a change: an update comes with its hunks, a new or removed file with its content. */
export function filesOf(item: Fields, directory: string): FileChange[] {
  return listIn(item, "changes").flatMap((change) => fileOf(change, directory));
}

/** Every path that a change writes to or removes. */
export function pathsOf(item: Fields): string[] {
  return listIn(item, "changes").flatMap((change) => {
    const paths = [textIn(change, "path"), textIn(fieldsIn(change, "kind"), "move_path")];
    return paths.filter((path) => path !== undefined);
  });
}
