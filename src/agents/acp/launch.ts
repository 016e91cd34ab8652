import { carefulGit } from "../../core/git-settings.ts";
import type { SpawnSpec } from "../../host/contract.ts";
import { searchPathOutside } from "../../host/search-path.ts";
import type { FoundProgram } from "./options.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Added to Parley's environment, in which the program finds its own credentials and settings. */
const ENVIRONMENT = {
  // Parley's token is left out: with it, programs that the agent runs could answer its asks.
  PARLEY_TOKEN: undefined,
  // Its last words are shown in places that have no colours.
  NO_COLOR: "1",
} as const;

export interface Launch {
  found: FoundProgram;
  env: Environment;
}

/** Programs that a program and its helpers find by themselves, such as the Node of a script, are none of the project's. */
function careful(own: Environment, directory: string): Environment {
  const env = { ...process.env, ...own };
  const path = env.PATH === undefined ? {} : { PATH: searchPathOutside(directory, env.PATH, env.HOME) };
  return { ...carefulGit(env), ...path };
}

/** How the program is started for a session or a discovery in a directory. */
export function programSpec(
  launch: Launch,
  place: { directory: string; session: string; trusted: boolean },
): SpawnSpec {
  const { found, env } = launch;
  const { directory, session, trusted } = place;
  const own = { ...env, ...found.env };
  return {
    argv: found.argv,
    directory,
    session,
    env: { ...own, ...(trusted ? {} : careful(own, directory)), ...ENVIRONMENT },
  };
}
