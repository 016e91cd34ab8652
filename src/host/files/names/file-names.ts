import { stat } from "node:fs/promises";
import { keepNewest } from "../../../core/entries.ts";
import { gitDirectoryOf } from "../../git/directory.ts";
import { type Git, records } from "../../git/git.ts";
import { FileRefused } from "../file-refused.ts";
import { walk } from "../walk.ts";

export interface FileNames {
  files: readonly string[];
  /** Each ends with a slash. */
  directories: readonly string[];
}

/** A search by name comes with every letter that a person types. */
const FRESH_MS = 3_000;
const MAX_CACHED = 8;
/** Outside of a repository, where nothing says what is not worth a look. */
const MAX_WALKED = 50_000;
const WALK_MS = 2_000;

/** The directories on the way to files, the nearest first. */
function parentsOf(files: readonly string[]): string[] {
  const parents = new Set<string>();
  for (const file of files) {
    for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
      const parent = file.slice(0, at + 1);
      if (parents.has(parent)) break;
      parents.add(parent);
    }
  }
  return [...parents].sort();
}

async function byWalking(directory: string): Promise<FileNames> {
  const files: string[] = [];
  const directories: string[] = [];
  try {
    for await (const found of walk(directory, { signal: AbortSignal.timeout(WALK_MS), max: MAX_WALKED })) {
      if (found.directory) directories.push(`${found.path}/`);
      else files.push(found.path);
    }
  } catch (error) {
    // The files that were found by then are the nearest, and better than none.
    if ((error as Error).name !== "TimeoutError") throw error;
  }
  return { files, directories };
}

async function findNames(git: Git, directory: string): Promise<FileNames> {
  if (!(await stat(directory)).isDirectory()) throw new FileRefused("bad_path", `${directory} is not a directory`);
  if (!gitDirectoryOf(directory)) return byWalking(directory);
  const wanted = ["--cached", "--others", "--exclude-standard", "--deduplicate"];
  const listed = await git(directory, ["ls-files", "-z", ...wanted]);
  if (listed.code !== 0) return byWalking(directory);
  const files = records(listed);
  return { files, directories: parentsOf(files) };
}

/** The names of all files below a directory, as git sees them where there is a repository. */
export type NameIndex = (directory: string) => Promise<FileNames>;

export function nameIndex(git: Git): NameIndex {
  const cache = new Map<string, { until: number; names: Promise<FileNames> }>();
  return (directory) => {
    const before = cache.get(directory);
    if (before && Date.now() < before.until) return before.names;
    const names = findNames(git, directory);
    keepNewest(cache, directory, { until: Date.now() + FRESH_MS, names }, MAX_CACHED);
    names.catch(() => cache.delete(directory));
    return names;
  };
}
