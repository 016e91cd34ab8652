type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A repository's own settings can name programs that git runs at a mere look (`git status`), and a repository within the files
 * of another would be used by whoever goes there. Agents look by themselves, before anybody is asked.
 */
const CAREFUL: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["safe.bareRepository", "explicit"],
];

/** Variables with which git, whoever starts it, runs nothing of the repository's at a look. Settings that are there already stay. */
export function carefulGit(env: Environment): Record<string, string> {
  const already = Number(env.GIT_CONFIG_COUNT ?? "0");
  const from = Number.isSafeInteger(already) && already > 0 ? already : 0;
  const settings = CAREFUL.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${from + at}`, key],
    [`GIT_CONFIG_VALUE_${from + at}`, value],
  ]);
  return { ...Object.fromEntries(settings), GIT_CONFIG_COUNT: String(from + CAREFUL.length) };
}
