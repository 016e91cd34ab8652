import { present } from "../../../../core/json/fields.ts";
import type { Revert } from "../../../../core/ledger/revert.ts";
import type { NextFileDiff, RevertState } from "../../shapes/next.ts";

const HUNK = /^@@ -(\S+) \+(\S+) @@/;
const NOWHERE = "/dev/null";
const SWAPPED: Readonly<Record<string, string>> = { "+": "-", "-": "+" };

/** A line of a hunk as the diff in the other direction has it. */
function turned(line: string): string {
  const hunk = HUNK.exec(line);
  if (hunk) return `@@ -${hunk[2]} +${hunk[1]} @@${line.slice(hunk[0].length)}`;
  return (SWAPPED[line[0] ?? ""] ?? line[0] ?? "") + line.slice(1);
}

const nameOf = (line: string): string =>
  line
    .slice(4)
    .split("\t", 1)[0]
    ?.replace(/^[ab]\//, "") ?? "";

/** One file's part of a diff, as it was undone. */
function undone(section: string): NextFileDiff {
  const [old = "", now = "", ...hunks] = section.replace(/\n$/, "").split("\n");
  const [before, after] = [nameOf(old), nameOf(now)];
  const lines = hunks.map(turned);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return {
    path: after === NOWHERE ? before : after,
    // An added file was deleted again, and a deleted one is there again.
    status: before === NOWHERE ? "deleted" : after === NOWHERE ? "added" : "modified",
    additions: count("+"),
    deletions: count("-"),
    patch: `${[now.replace(/^\+\+\+/, "---"), old.replace(/^---/, "+++"), ...lines].join("\n")}\n`,
  };
}

/** A revert in the newer form: with the changes that it made to the files, the newest first. */
export function revertState({ messageID, partID, diff = "", filesKept }: Revert): RevertState {
  const sections = filesKept
    ? []
    : diff.split(/^(?=--- [^\n]*\n\+\+\+ )/m).filter((section) => section.startsWith("--- "));
  const files = sections.map(undone).toReversed();
  return present({
    messageID,
    partID,
    diff: files
      .map(({ patch }) => patch)
      .join("")
      .trim(),
    files,
  });
}
