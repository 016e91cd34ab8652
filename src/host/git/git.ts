import { spawnSync } from "node:child_process";
import { keepNewest } from "../../core/entries.ts";
import type { GitSetting } from "../../core/git-settings.ts";
import { type CommandHost, SpawnFailed } from "../contract.ts";
import { type Captured, capture } from "../run-to-end.ts";
import { usersOwn } from "./config.ts";
import { type GitDirectory, gitDirectoryOf } from "./directory.ts";
import { gitEnvironment, usersEnvironment } from "./environment.ts";
import { type Shadow, shadowed } from "./shadow.ts";

const LIMIT_MS = 15_000;
const MAX_CHARS = 16_000_000;
/** The bounds of a call that waits in place and holds up everybody. */
const NOW_MS = 2_000;
const NOW_BYTES = 1_000_000;
const FRESH_MS = 60_000;
const MAX_KNOWN = 200;

/** Drivers of a diff are programs, and a submodule is looked into by a git of its own, with its own configuration. */
const DIFF = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--submodule=short"];

export interface GitOptions {
  errors?: "shown" | "dropped";
  maxChars?: number;
  settings?: readonly string[];
  limitMs?: number;
}

export type Git = (directory: string, args: readonly string[], options?: GitOptions) => Promise<Captured>;

/** A search reads each file whole, however large it is. Where memory cannot be limited, it is not. */
const LIMITED = ["/bin/sh", "-c", 'ulimit -v 2000000 2>/dev/null; exec "$@"', "sh"] as const;

function argvOf([command = "", ...args]: readonly string[], settings: readonly string[] = []): [string, ...string[]] {
  const argv = ["git", ...settings, command, ...(command === "diff" ? DIFF : []), ...args] as const;
  return command === "grep" ? [...LIMITED, ...argv] : [...argv];
}

/** None on a disk that is full: then there is no git, but everything else. */
function shadowOrNot(git: GitDirectory): Shadow | undefined {
  try {
    return shadowed(git);
  } catch {
    return undefined;
  }
}

/** `name\nvalue\0`, as git lists settings. */
function listed({ text, code }: Captured): GitSetting[] {
  if (code !== 0) return [];
  return text.split("\0").flatMap((one): GitSetting[] => {
    const end = one.indexOf("\n");
    return end < 0 ? [] : [[one.slice(0, end), one.slice(end + 1)]];
  });
}

/**
 * Git, bounded in time and output, for repositories that nobody trusts: it gets neither the repository's configuration
 * nor the user's, but those of their settings that can run nothing. Where git is not installed, its code is 127, as a
 * shell says it.
 */
export function gitOn(commands: CommandHost): Git {
  const known = new Map<string, { until: number; settings: Promise<GitSetting[]> }>();

  async function run(spec: { argv: [string, ...string[]]; directory: string; env: object }, options: GitOptions) {
    const { errors = "dropped", maxChars = MAX_CHARS, limitMs = LIMIT_MS } = options;
    const env = spec.env as Record<string, string | undefined>;
    try {
      const whole = { ...spec, env, session: "workspace", errors };
      return await capture({ host: commands, spec: whole, limitMs, maxChars });
    } catch (error) {
      if (error instanceof SpawnFailed) return { text: "", code: 127 };
      throw error;
    }
  }

  /** The user's own settings, which may depend on where a repository lies. */
  function usersSettings(repository: Record<string, string>): Promise<GitSetting[]> {
    const key = repository.GIT_DIR ?? "";
    const before = known.get(key);
    if (before && Date.now() < before.until) return before.settings;
    const spec = { argv: argvOf(["config", "--list", "-z"]), directory: "/", env: usersEnvironment(repository) };
    const settings = run(spec, {}).then((found) => usersOwn(listed(found)));
    keepNewest(known, key, { until: Date.now() + FRESH_MS, settings }, MAX_KNOWN);
    settings.catch(() => known.delete(key));
    return settings;
  }

  return async (directory, args, options = {}) => {
    // A new repository is none yet.
    const found = args[0] === "init" ? undefined : gitDirectoryOf(directory);
    const shadow = found ? shadowOrNot(found) : { env: {}, settings: [] };
    if (!shadow) return { text: "", code: 128 };
    const { env, settings } = shadow;
    const all = [...(await usersSettings(env)), ...settings];
    return run({ argv: argvOf(args, options.settings), directory, env: gitEnvironment(env, all) }, options);
  };
}

/** A short look into a repository that is waited for in place. */
export function gitNow(git: GitDirectory, args: readonly string[]): { text?: string; timedOut: boolean } {
  const [program, ...rest] = argvOf(args);
  const shadow = shadowOrNot(git);
  if (!shadow) return { timedOut: false };
  const { env, settings } = shadow;
  const { stdout, status, signal } = spawnSync(program, rest, {
    cwd: git.root,
    env: { ...process.env, ...gitEnvironment(env, settings) },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: NOW_MS,
    killSignal: "SIGKILL",
    maxBuffer: NOW_BYTES,
  });
  return { timedOut: signal !== null, ...(status === 0 ? { text: stdout } : {}) };
}

/** Its records end with a NUL, since a path may hold anything else. */
export function records({ text, code }: Captured): string[] {
  return code === 0 ? text.split("\0").filter((one) => one !== "") : [];
}
