import { dirname, isAbsolute, join, resolve } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** As the XDG base directory specification has it: a relative path there means nothing. */
function baseDirectory(value: string | undefined, fallback: string): string {
  return value !== undefined && isAbsolute(value) ? value : fallback;
}

function userDirectory(env: Environment, home: string): string {
  return join(baseDirectory(env.XDG_CONFIG_HOME, join(home, ".config")), "parley");
}

export function userConfigFile(env: Environment, home: string): string {
  return join(userDirectory(env, home), "config.jsonc");
}

/** The list that `parley trust` keeps: beside the user's configuration, where no project and no data directory can bring one of its own. */
export function trustFile(env: Environment, home: string): string {
  return join(userDirectory(env, home), "trusted");
}

export function defaultDataDir(env: Environment, home: string): string {
  return join(baseDirectory(env.XDG_DATA_HOME, join(home, ".local", "share")), "parley");
}

/** The names of a project's configuration, in the order in which they are looked for. */
export const PROJECT_FILES = ["parley.jsonc", join(".parley", "config.jsonc")] as const;

/**
 * Directories that may hold the project's configuration, the nearest first: up to the root of the git repository, or up to
 * the home directory. Elsewhere the directory itself only, because what lies above may be anybody's.
 */
export function projectDirectories(start: string, home: string, isGitRoot: (directory: string) => boolean): string[] {
  const found: string[] = [];
  for (let at = start; ; at = dirname(at)) {
    found.push(at);
    if (at === home || isGitRoot(at)) return found;
    if (dirname(at) === at) return [start];
  }
}

/** The directory that a project's configuration speaks for. */
export function projectOf(file: string): string {
  const directory = dirname(file);
  return file.endsWith(join(".parley", "config.jsonc")) ? dirname(directory) : directory;
}

/** A path as people write it: `~/` is their home, and a relative one starts where it was written. */
export function expandPath(path: string, home: string, from: string): string {
  if (path === "~") return home;
  return resolve(from, path.startsWith("~/") ? join(home, path.slice(2)) : path);
}
