/** A setting's name in lower case, with its section, and its value. */
export type GitSetting = readonly [name: string, value: string];

/**
 * Settings under which git runs no program of a repository. A repository's own settings can name programs that git runs even
 * for `git status`, and a bare repository can be hidden among the files of another.
 */
export const RUNS_NOTHING: readonly GitSetting[] = [
  ["core.fsmonitor", "false"],
  ["safe.bareRepository", "explicit"],
];

/** The environment variables that give settings to git; `from` is the number of settings that are there already. */
export function gitVariables(settings: readonly GitSetting[], from = 0): Record<string, string> {
  const pairs = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${from + at}`, name],
    [`GIT_CONFIG_VALUE_${from + at}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(from + settings.length) };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables with which `git status` and the like run no program that the repository names: agents look before they ask. Settings that the environment holds already stay. */
export function carefulGit(env: Environment): Record<string, string> {
  const already = Number(env.GIT_CONFIG_COUNT ?? "0");
  return gitVariables(RUNS_NOTHING, Number.isSafeInteger(already) && already > 0 ? already : 0);
}
