import { resolve } from "node:path";
import { readLine } from "../../../core/permissions/shell/read-line.ts";
import { isKnown } from "../../../core/permissions/shell/word.ts";
import { patchedFiles } from "../../patched-files.ts";

const BEGIN = "*** Begin Patch";
/** So much before a patch is read for the directory that it is applied in. */
const HEAD = 16_384;

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
