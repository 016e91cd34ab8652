import type { SpawnSpec } from "../../host/contract.ts";
import { carefulGit } from "../git-environment.ts";
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

/** How the program is started for a session or a discovery in a directory. */
export function programSpec(
  launch: Launch,
  place: { directory: string; session: string; trusted: boolean },
): SpawnSpec {
  const { found, env } = launch;
  const { directory, session, trusted } = place;
  const git = trusted ? {} : carefulGit({ ...process.env, ...env });
  return { argv: found.argv, directory, session, env: { ...env, ...found.env, ...git, ...ENVIRONMENT } };
}
