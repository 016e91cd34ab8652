import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Where a checkout keeps what it is made of. */
export interface GitDirectory {
  /** The directory of the checkout's files. */
  root: string;
  /** What all checkouts of the repository share: its configuration, its history. */
  common: string;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** A linked checkout and a submodule have a file in place of the directory, which says where that is. */
function followed(dotGit: string): string | undefined {
  const found = statSync(dotGit, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isDirectory()) return dotGit;
  const target = textOf(dotGit)?.match(/^gitdir: (.+)$/)?.[1];
  return target === undefined ? undefined : resolve(dirname(dotGit), target);
}

/** The checkout that a directory lies in, by its files alone. */
export function gitDirectoryOf(directory: string): GitDirectory | undefined {
  for (let root = directory; ; root = dirname(root)) {
    const own = followed(join(root, ".git"));
    if (own !== undefined) {
      const shared = textOf(join(own, "commondir"));
      return { root, common: shared === undefined ? own : resolve(own, shared) };
    }
    if (root === dirname(root)) return undefined;
  }
}

/** The address that a repository was cloned from. */
export function originOf({ common }: GitDirectory): string | undefined {
  const config = textOf(join(common, "config")) ?? "";
  const section = config.split(/^\s*\[/m).find((one) => /^remote\s+"origin"\]/.test(one));
  return section?.match(/^\s*url\s*=\s*(.+?)\s*$/m)?.[1];
}

/** The id that OpenCode itself once gave a repository; it keeps it there. */
export function keptIdOf({ common }: GitDirectory): string | undefined {
  const id = textOf(join(common, "opencode"));
  return id !== undefined && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}
