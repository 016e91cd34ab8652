import { gitVariables, RUNS_NOTHING } from "../core/git-settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables with which git runs nothing of the repository's at a look: agents look before anybody is asked. Settings that are there already stay. */
export function carefulGit(env: Environment): Record<string, string> {
  const already = Number(env.GIT_CONFIG_COUNT ?? "0");
  return gitVariables(RUNS_NOTHING, Number.isSafeInteger(already) && already > 0 ? already : 0);
}
