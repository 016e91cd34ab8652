import type { FileChange } from "../events/values.ts";
import { countLines } from "./file-totals.ts";
import { lineStart } from "./lines.ts";

/** Characters of one file's diff in an event, and of all diffs of a turn. */
export const MAX_DIFF = 512 * 1024;
const MAX_TURN_DIFFS = 2 * 1024 * 1024;

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
/** How a text ends of which a part was left out before it came here. */
const LEFT_OUT = /\n?\(… (\d+) (?:bytes|characters) left out …\)$/;

/** Stands in a diff, as a line that did not change, for what is not there. */
export function leftOutLine(characters: number): string {
  return `(… ${characters} characters of this diff left out …)\n`;
}

/** How much of a text was left out on its way here. */
export function missingFrom(text: string): number {
  return Number(LEFT_OUT.exec(text.slice(-100))?.[1] ?? 0);
}

/** The head of the last hunk with the number of lines that it really has. */
function mended(diff: string): string {
  const at = diff.lastIndexOf("\n@@ ") + 1;
  const head = HUNK.exec(diff.slice(at, at + 200));
  if (!head) return diff;
  const [, from, to] = head;
  const [, ...lines] = diff.slice(at).replace(/\n$/, "").split("\n");
  const count = (other: string): number => lines.filter((line) => line[0] !== other && line[0] !== "\\").length;
  return `${diff.slice(0, at)}@@ -${from},${count("+")} +${to},${count("-")} @@\n${lines.join("\n")}\n`;
}

/** Keeps of a diff the whole lines that fit, as a diff that can still be read, and says in it how much is missing. */
export function cutDiff(diff: string, limit: number): { diff: string; cut?: { characters: number } } {
  const missing = missingFrom(diff);
  if (diff.length <= limit && missing === 0) return { diff };
  const text = missing === 0 ? diff : diff.replace(LEFT_OUT, "");
  const kept = text.slice(0, lineStart(text, Math.min(limit, text.length)));
  const characters = text.length - kept.length + missing;
  return { diff: mended(`${kept} ${leftOutLine(characters)}`), cut: { characters } };
}

/** The files that a tool has changed, with diffs that fit a turn that has used up so much of its room. */
export function boundedFiles(files: readonly FileChange[], used: number): { files: FileChange[]; used: number } {
  let sum = used;
  const bounded = files.map((change) => {
    if (change.diff === undefined) return change;
    const { diff, cut } = cutDiff(change.diff, Math.min(MAX_DIFF, Math.max(0, MAX_TURN_DIFFS - sum)));
    sum += diff.length;
    if (!cut) return change;
    const characters = cut.characters + (change.cut?.characters ?? 0);
    return { ...change, ...countLines(change), diff, cut: { characters } };
  });
  return { files: bounded, used: sum };
}
