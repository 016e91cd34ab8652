import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Fields } from "../../core/json/fields.ts";

/** The program compares real paths: a link would let the project in under its other name. */
function realPath(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

function upwards(directory: string): string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...upwards(above)];
}

/** The program itself makes empty directories of that name in its sandbox. */
function isRepository(path: string): boolean {
  const git = statSync(join(path, ".git"), { throwIfNoEntry: false });
  return git?.isFile() === true || (git?.isDirectory() === true && existsSync(join(path, ".git", "HEAD")));
}

/** The directory and those above it that belong to the same repository. */
function ofProject(directory: string): string[] {
  const all = upwards(directory);
  const root = all.findIndex(isRepository);
  return all.slice(0, Math.max(1, root + 1));
}

/**
 * The user's word about a directory, in the program's configuration for one thread. It is always said: without it the program trusts the directory by itself in some
 * modes, and writes that to its own configuration. The program takes the settings of directories above, too, so these are named as well: those of the repository
 * where it is trusted, and all where it is not.
 */
export function trustConfig(directory: string, trusted: boolean): Fields {
  const real = realPath(directory);
  const [paths, level] = trusted ? [ofProject(real), "trusted"] : [upwards(real), "untrusted"];
  return { projects: Object.fromEntries(paths.map((path) => [path, { trust_level: level }])) };
}
