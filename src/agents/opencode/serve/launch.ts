import { existsSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { carefulGit } from "../../../core/git-settings.ts";
import type { SpawnSpec } from "../../../host/contract.ts";
import type { GateLaunch } from "../gate/gate.ts";
import { addedConfig } from "./added-config.ts";
import type { ServerNeed } from "./contract.ts";

/** Added to Parley's environment, in which the program finds its own credentials and settings. */
const ENVIRONMENT = {
  // Parley's token is left out: with it, programs that the agent runs could answer its asks.
  PARLEY_TOKEN: undefined,
  // Its last words are shown in places that have no colours.
  NO_COLOR: "1",
  // A server must not be exchanged while it works.
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  // Another user name of the environment would have to be sent with each request.
  OPENCODE_SERVER_USERNAME: undefined,
} as const;

/**
 * Nothing of a project that is not trusted is loaded: no settings, plugins, commands, agents, tools and instructions. The second variable is for the skills that
 * are laid down for other programs, in `.claude` and `.agents`: each is a command too, whose text may run others. The user's own of these are left out with them.
 */
const UNTRUSTED = { OPENCODE_DISABLE_PROJECT_CONFIG: "1", OPENCODE_DISABLE_EXTERNAL_SKILLS: "1" } as const;

/** The program's watch of a repository serves interfaces alone. A user who set one of these wants it so. */
const WATCHING = ["OPENCODE_EXPERIMENTAL_FILEWATCHER", "OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER"] as const;

function withoutWatch(all: Launch["env"]): Launch["env"] {
  if (WATCHING.some((name) => all[name] !== undefined)) return {};
  return { OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER: "1" };
}

export interface Launch {
  program: string;
  /** Added to Parley's own environment. */
  env: Readonly<Record<string, string | undefined>>;
}

export interface Start extends Pick<ServerNeed, "trusted"> {
  /** The mark of its processes. */
  session: string;
  port: number;
  password: string;
  gate?: GateLaunch;
}

/** The headers that a server with this password wants. */
export function passwordHeaders(password: string, user = "opencode"): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

/**
 * How a server is started. It works in the user's home and in no project: each request names its directory, and nothing is loaded because of the place in
 * which the server was started.
 */
export async function serverSpec({ program, env }: Launch, start: Start): Promise<SpawnSpec> {
  const { trusted, session, port, password, gate } = start;
  const all = { ...process.env, ...env };
  const home = all.HOME || homedir();
  const plugins = gate ? [gate.plugin] : [];
  const config = await addedConfig(all.OPENCODE_CONFIG_CONTENT, { careful: !trusted, plugins });
  return {
    argv: [program, "serve", "--hostname", "127.0.0.1", "--port", String(port)],
    directory: existsSync(home) ? home : tmpdir(),
    session,
    env: {
      ...env,
      ...(trusted ? {} : { ...carefulGit(all), ...UNTRUSTED }),
      ...withoutWatch(all),
      ...(config === undefined ? {} : { OPENCODE_CONFIG_CONTENT: config }),
      ...ENVIRONMENT,
      OPENCODE_SERVER_PASSWORD: password,
      ...gate?.env,
    },
  };
}
