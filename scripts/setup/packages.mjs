import { existsSync, readFileSync } from "node:fs";

const LOCK = "package-lock.json";

/** npm's own list of the packages that it installed. */
export const INSTALLED = "node_modules/.package-lock.json";

const packagesOf = (file) => JSON.parse(readFileSync(file, "utf8")).packages;

/** The version of a package that the lock file names. */
export const lockedVersion = (name) => packagesOf(LOCK)[`node_modules/${name}`]?.version;

/** Whether the packages that are installed are those of the lock file; those for other platforms may be missing. */
export function isFresh() {
  if (!existsSync(INSTALLED)) return false;
  const installed = packagesOf(INSTALLED);
  return Object.entries(packagesOf(LOCK)).every(
    ([path, { version, optional }]) =>
      path === "" || (installed[path] ? installed[path].version === version : optional),
  );
}
