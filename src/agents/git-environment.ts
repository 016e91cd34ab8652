import { gitVariables, RUNS_NOTHING } from "../core/git-settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables with which `git status` and the like run no program that the repository names: agents look before they ask. Settings that the environment holds already stay. */
export function carefulGit(env: Environment): Record<string, string> {
  const already = Number(env.GIT_CONFIG_COUNT ?? "0");
  return gitVariables(RUNS_NOTHING, Number.isSafeInteger(already) && already > 0 ? already : 0);
}
