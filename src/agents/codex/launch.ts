import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { carefulGit } from "../../core/git-settings.ts";
import { codexHome } from "../../credentials/places.ts";
import type { SpawnSpec } from "../../host/contract.ts";

/** Added to Parley's environment, in which the program finds its own credentials and settings. */
const ENVIRONMENT = {
  // Parley's token is left out: with it, programs that the agent runs could answer its asks.
  PARLEY_TOKEN: undefined,
  // Its last words are shown in places that have no colours. Commands get this variable from the program anyway.
  NO_COLOR: "1",
} as const;

export interface Launch {
  program: string;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * How a process of the program is started. It is started in the user's own directory of the program and not in the project, whose settings it would read otherwise;
 * the session's directory is named when the thread is opened.
 */
export function serverSpec(launch: Launch, session: string, trusted: boolean, more: Launch["env"] = {}): SpawnSpec {
  const { program, env } = launch;
  const all = { ...process.env, ...env };
  const home = codexHome(all);
  const git = trusted ? {} : carefulGit(all);
  return {
    argv: [program, "app-server"],
    directory: existsSync(home) ? home : tmpdir(),
    session,
    env: { ...env, ...git, ...ENVIRONMENT, ...more },
  };
}
