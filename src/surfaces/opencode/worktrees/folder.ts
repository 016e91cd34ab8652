import { realpathSync } from "node:fs";
import { join } from "node:path";

/** Where a path really leads; the path itself where nothing is there. */
export function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The folder of all worktrees in a data directory. */
export function worktreesFolder(dataDirectory: string): string {
  return join(realOr(dataDirectory), "worktrees");
}
