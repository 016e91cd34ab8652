import { carefulGit } from "../core/git-settings.ts";
import type { SpawnSpec } from "./contract.ts";

/** Nothing in a command may wait for a person, and nothing it runs may answer for one with Parley's token. */
const QUIET = { PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", TERM: "dumb" };
const ENVIRONMENT = { ...QUIET, PARLEY_TOKEN: undefined };

const SHELL = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi';

interface Place extends Omit<SpawnSpec, "argv"> {
  /** Whether the user trusts the directory. Where it is not, a look with git runs nothing that the project's files name. */
  trusted: boolean;
}

/** How a line of shell is run: by bash where there is one. */
export function shellSpec(command: string, { trusted, env = {}, ...where }: Place): SpawnSpec {
  const git = trusted ? {} : carefulGit({ ...process.env, ...env });
  return { argv: ["sh", "-c", SHELL, "sh", command], ...where, env: { ...env, ...git, ...ENVIRONMENT } };
}
