import type { FileChange } from "../events/values.ts";
import { countLines } from "./file-totals.ts";
import { lineStart } from "./lines.ts";

/** Characters of one file's diff in an event, and of all diffs of a turn. */
export const MAX_DIFF = 512 * 1024;
const MAX_TURN_DIFFS = 2 * 1024 * 1024;

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
/** The end of a text that was shortened before it came here. */
const LEFT_OUT = /\n?\(… (\d+) (?:bytes|characters) left out …\)$/;

/** The line of a diff that says how much of it was left out; it looks like an unchanged line. */
export function leftOutLine(characters: number): string {
  return `(… ${characters} characters of this diff left out …)\n`;
}

/** The number of characters that were left out of a text before it came here. */
export function missingFrom(text: string): number {
  return Number(LEFT_OUT.exec(text.slice(-100))?.[1] ?? 0);
}

/** A diff whose last hunk's head says how many lines the hunk really has. */
function mended(diff: string): string {
  const at = diff.lastIndexOf("\n@@ ") + 1;
  const head = HUNK.exec(diff.slice(at, at + 200));
  if (!head) return diff;
  const [, from, to] = head;
  const [, ...lines] = diff.slice(at).replace(/\n$/, "").split("\n");
  const count = (other: string): number => lines.filter((line) => line[0] !== other && line[0] !== "\\").length;
  return `${diff.slice(0, at)}@@ -${from},${count("+")} +${to},${count("-")} @@\n${lines.join("\n")}\n`;
}

/** A diff cut to the whole lines that fit. It can still be read as a diff, and its last line says how much is missing. */
export function cutDiff(diff: string, limit: number): { diff: string; cut?: { characters: number } } {
  const missing = missingFrom(diff);
  if (diff.length <= limit && missing === 0) return { diff };
  const text = missing === 0 ? diff : diff.replace(LEFT_OUT, "");
  const kept = text.slice(0, lineStart(text, Math.min(limit, text.length)));
  const characters = text.length - kept.length + missing;
  return { diff: mended(`${kept} ${leftOutLine(characters)}`), cut: { characters } };
}

/** The files that a tool changed, with diffs cut to the room that the turn has left; `used` is what it has used so far. */
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
