import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** As many links as the system follows. */
const MOST_LINKS = 40;

/** The path to which a path leads by links, also where nothing is there yet. */
export function followed(path: string, links = MOST_LINKS): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || links === 0) return path;
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      return join(followed(parent, links), basename(path));
    return followed(resolve(followed(parent, links - 1), readlinkSync(path)), links - 1);
  }
}
