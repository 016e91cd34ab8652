import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GitSetting } from "../../core/git-settings.ts";
import { formatText, harmless, settingsIn } from "./config.ts";
import { type GitDirectory, smallText } from "./directory.ts";

/** The parts of a repository that git needs to read it. Its configuration and its hooks are not among it. */
const LINKED = ["objects", "refs", "packed-refs", "reftable", "info", "shallow", "worktrees"];
const MAX_SHADOWS = 500;

let base: string | undefined;
const shadows = new Set<string>();

function baseDirectory(): string {
  if (base !== undefined && existsSync(base)) return base;
  const made = mkdtempSync(join(tmpdir(), "parley-git-"));
  if (base === undefined) process.once("exit", () => base && rmSync(base, { recursive: true, force: true }));
  base = made;
  shadows.clear();
  return made;
}

function make(path: string, common: string, config: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  for (const name of LINKED) symlinkSync(join(common, name), join(path, name));
  writeFileSync(join(path, "config"), config);
}

/** A directory with links to the parts of a repository, and a configuration that Parley wrote. */
function shadowOf(common: string, config: string): string {
  const name = createHash("sha1").update(`${common}\0${config}`).digest("hex");
  const path = join(baseDirectory(), name);
  if (!shadows.has(name) || !existsSync(join(path, "config"))) make(path, common, config);
  shadows.delete(name);
  shadows.add(name);
  const [oldest] = shadows;
  if (shadows.size > MAX_SHADOWS && oldest !== undefined) {
    shadows.delete(oldest);
    rmSync(join(baseDirectory(), oldest), { recursive: true, force: true });
  }
  return path;
}

function ownSettings({ own, common }: GitDirectory): GitSetting[] {
  const shared = settingsIn(smallText(join(common, "config")) ?? "");
  // As a sparse checkout keeps its settings.
  const worktree = shared.some(([name, value]) => name === "extensions.worktreeconfig" && value === "true");
  return worktree ? [...shared, ...settingsIn(smallText(join(own, "config.worktree")) ?? "")] : shared;
}

export interface Shadow {
  env: Record<string, string>;
  /** Those of the repository's own settings that can run nothing. */
  settings: GitSetting[];
}

/**
 * How git is told to read a repository without the repository's configuration, which may name programs for git to run
 * (filters, hooks, monitors, transports) and places to read elsewhere. Git never opens that file, so that it does not
 * matter when it is changed.
 */
export function shadowed(git: GitDirectory): Shadow {
  const settings = ownSettings(git);
  const common = shadowOf(git.common, formatText(settings));
  const env = { GIT_DIR: git.own, GIT_COMMON_DIR: common, GIT_WORK_TREE: git.root };
  return { env, settings: harmless(settings) };
}
