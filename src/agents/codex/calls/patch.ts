import { resolve } from "node:path";
import { readLine } from "../../../core/permissions/shell/read-line.ts";
import { isKnown } from "../../../core/permissions/shell/word.ts";

const BEGIN = "*** Begin Patch";
/** The program takes blanks before a header for nothing, and ends a line nowhere but at a newline. */
const HEADER = /^\s*\*\*\* (?:Add File|Update File|Delete File|Move to): ([\s\S]+)$/;
/** The program's blanks are those of Unicode, and JavaScript's are not quite. */
const BLANKS = /^[\s\u0085]+|[\s\u0085]+$/g;
/** So much before a patch is read for the directory that it is applied in. */
const HEAD = 16_384;

/** The files that a patch in the program's own format names, as it names them; those of a patch within a line of shell, too. */
export function patchedFiles(text: string): string[] {
  if (!text.includes(BEGIN)) return [];
  const named = text
    .split("\n")
    .flatMap((line) => HEADER.exec(line.replace(BLANKS, ""))?.[1]?.replace(BLANKS, "") ?? []);
  return [...new Set(named)];
}

/** The directories in which a line of shell may apply its patch: the program knows `cd sub && apply_patch`, and goes there first. */
function placesOf(line: string, directory: string): string[] {
  const head = line.slice(0, Math.max(0, line.indexOf(BEGIN))).slice(-HEAD);
  const steps = readLine(head.trim()).commands.flatMap(({ words: [program, ...to] }) => {
    const target = to.find(({ value }) => !value.startsWith("-"));
    return program?.value === "cd" && target && isKnown(target) ? [target.value] : [];
  });
  const reached = steps.reduce((at, step) => resolve(at, step), directory);
  // In any other form a shell applies it, in which a `cd` may have failed.
  return /^cd\b[^;|&\n]*&&\s*apply_?patch\b/.test(head.trim()) ? [reached] : [...new Set([reached, directory])];
}

/** The files, from the root, that a patch in a line of shell changes. */
export function patchedByLine(line: string, directory: string): string[] {
  const files = patchedFiles(line);
  return placesOf(line, directory).flatMap((place) => files.map((file) => resolve(place, file)));
}
