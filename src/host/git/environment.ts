import { type GitSetting, gitVariables, RUNS_NOTHING } from "../../core/git-settings.ts";

type Environment = Record<string, string | undefined>;

/** Where git itself lies, where it was moved. */
const KEPT: ReadonlySet<string> = new Set(["GIT_EXEC_PATH"]);

/** Where the user's own configuration lies. */
const USERS_FILES: ReadonlySet<string> = new Set(["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"]);

/** Nothing may wait for a person, fetch from another machine, or write while it looks; nothing that git runs gets the token. */
const ALWAYS: Environment = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ASKPASS: "false",
  GIT_EDITOR: "false",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_SSH_COMMAND: "false",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C",
  PARLEY_TOKEN: undefined,
};

/** For a directory that is no checkout: what only looks like a repository is not taken for one, and runs nothing. */
const SETTINGS: readonly GitSetting[] = [...RUNS_NOTHING, ["core.hooksPath", "/dev/null"], ["core.quotePath", "false"]];

/** Parley's own environment may be that of one of git's hooks, which names another repository. */
function cleared(kept: (name: string) => boolean): Environment {
  const names = Object.keys(process.env).filter((name) => name.startsWith("GIT_") && !kept(name));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** The variables that git is started with, on top of Parley's own environment. No file of configuration is read but the shadow's. */
export function gitEnvironment(repository: Environment, settings: readonly GitSetting[]): Environment {
  return {
    ...cleared((name) => KEPT.has(name)),
    ...ALWAYS,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    ...repository,
    ...gitVariables([...settings, ...SETTINGS]),
  };
}

/** The same for reading the user's own configuration. */
export function usersEnvironment(repository: Environment): Environment {
  const kept = cleared((name) => KEPT.has(name) || USERS_FILES.has(name));
  return { ...kept, ...ALWAYS, ...repository, ...gitVariables(SETTINGS) };
}
