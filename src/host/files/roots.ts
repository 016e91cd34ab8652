import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { codeOf, ParleyError } from "../../core/errors.ts";
import { isInside, isSystems } from "./inside.ts";

/** The real path behind links, also of a file that does not exist yet. Undefined where it cannot be read. */
function realWay(path: string): string | undefined {
  if (path.includes("\0")) return undefined;
  const missing: string[] = [];
  for (let way = path; ; way = dirname(way)) {
    try {
      return join(realpathSync(way), ...missing);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") return undefined;
    }
    missing.unshift(basename(way));
    if (way === dirname(way)) return undefined;
  }
}

/** The directories that a server works in. Without any it works wherever its user may. */
export class Roots {
  readonly directories: readonly string[];
  /** The folders of worktrees, which are checkouts of repositories in the directories: the server's own, and those of nodes with the same disk. */
  #worktrees: readonly string[];

  /** The directories must exist: a link among them means what it leads to now. */
  constructor(directories: readonly string[] = [], worktrees?: string) {
    this.directories = directories.map((directory) => realpathSync(directory));
    this.#worktrees = worktrees === undefined ? [] : [worktrees];
  }

  /** Knows further folders of worktrees from now on. */
  addWorktrees(folders: readonly string[]): void {
    this.#worktrees = [...new Set([...this.#worktrees, ...folders])];
  }

  /** Whether a directory lies in one of them, links followed. */
  has(directory: string): boolean {
    return this.#includes(realWay(directory));
  }

  #includes(real: string | undefined): boolean {
    if (this.directories.length === 0) return true;
    if (real === undefined) return false;
    return this.#holds(real) || this.#worktrees.some((folder) => this.#isWorktree(folder, real));
  }

  #holds(real: string): boolean {
    return this.directories.some((root) => isInside(root, real));
  }

  /** Whether a path lies in one of a folder's worktrees, whose repository lies in the directories: an earlier start may have had others. */
  #isWorktree(folder: string, real: string): boolean {
    if (!isInside(folder, real)) return false;
    const [project = "", name = ""] = relative(folder, real).split(sep);
    const dotGit = join(folder, project, name, ".git");
    if (name === "" || !statSync(dotGit, { throwIfNoEntry: false })?.isFile()) return false;
    const repository = realWay(/^gitdir: (\/.+)$/m.exec(readFileSync(dotGit, "utf8"))?.[1] ?? "");
    return repository !== undefined && this.#holds(repository);
  }

  /** The one check that every directory goes through before anything is read, made or started in it. */
  assert(directory: string): void {
    const real = realWay(directory);
    if (real !== undefined && isSystems(real))
      throw new ParleyError("forbidden", `${directory} belongs to the system: nothing can be worked on there`);
    if (this.#includes(real)) return;
    const allowed = this.directories.join(", ");
    const message = `${directory} is outside of the directories that this server works in: ${allowed}; use one of them, or start the server with --root for another`;
    throw new ParleyError("forbidden", message, { roots: this.directories });
  }
}
