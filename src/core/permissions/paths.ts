import { HOLE } from "./glob.ts";

/** A path without detours: `a/./b//../c` is `a/c`. Leading `..` stay. */
function flat(path: string): string {
  const absolute = path.startsWith("/");
  const kept: string[] = [];
  for (const piece of path.split("/")) {
    if (piece === "" || piece === ".") continue;
    if (piece !== "..") kept.push(piece);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!absolute) kept.push(piece);
  }
  return `${absolute ? "/" : ""}${kept.join("/")}` || (absolute ? "/" : ".");
}

/** A path from the root. Links are not followed: core does no I/O. */
export function absolutePath(directory: string, path: string): string {
  return flat(path.startsWith("/") ? path : `${directory}/${path}`);
}

/** A path as rules and people name it: from the session's directory where it lies inside, else from the root. */
export function ruledPath(directory: string, path: string): string {
  const root = flat(directory);
  const whole = absolutePath(directory, path);
  if (whole === root) return ".";
  const inside = root === "/" ? "/" : `${root}/`;
  return whole.startsWith(inside) ? whole.slice(inside.length) : whole;
}

/** The end of a path that is the same wherever it begins and whatever its holes hold, which may be `/../`. */
export function knownEnd(path: string): string {
  const end = flat(path.slice(path.lastIndexOf(HOLE) + 1).replace(/^\/+/, ""));
  return end === "." ? "" : end.replace(/^(?:\.\.(?:\/|$))+/, "");
}

/** A rule's path in the same words: `./src/*` is `src/*`. */
export function ruledPattern(pattern: string): string {
  return pattern.replace(/^(?:\.\/+)+(?=.)/, "");
}
