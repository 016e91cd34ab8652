/** A setting's name in lower case, with its section, and its value. */
export type GitSetting = readonly [name: string, value: string];

/**
 * A repository's own settings can name programs that git runs at a mere look (`git status`), and a repository within the files
 * of another would be used by whoever goes there. With these it runs nothing.
 */
export const RUNS_NOTHING: readonly GitSetting[] = [
  ["core.fsmonitor", "false"],
  ["safe.bareRepository", "explicit"],
];

/** The variables by which git is told settings; `from` says how many it is told already. */
export function gitVariables(settings: readonly GitSetting[], from = 0): Record<string, string> {
  const pairs = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${from + at}`, name],
    [`GIT_CONFIG_VALUE_${from + at}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(from + settings.length) };
}
