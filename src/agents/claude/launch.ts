import { carefulGit } from "../../core/git-settings.ts";
import type { SpawnSpec } from "../../host/contract.ts";
import type { OpenOptions } from "../contract.ts";
import { effortIn } from "../effort.ts";
import { BYPASS } from "./modes.ts";
import { resumption } from "./resumption.ts";

const STREAMS = [
  "-p",
  "--input-format",
  "stream-json",
  "--output-format",
  "stream-json",
  "--verbose",
  "--include-partial-messages",
  "--replay-user-messages",
  "--permission-prompt-tool",
  "stdio",
] as const;

/** Added to Parley's environment, in which the program finds its own credentials and settings. */
const ENVIRONMENT = {
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
  // No updates while sessions run: the new version would not be the tested one.
  DISABLE_AUTOUPDATER: "1",
  // The user's variable would switch off the hooks by which the session's rules see each call.
  CLAUDE_CODE_SIMPLE: undefined,
  // Each command begins in the session's directory, so that rules know which files its words name.
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
  // Parley's token is left out: with it, programs that the agent runs could answer its asks.
  PARLEY_TOKEN: undefined,
} as const;

/**
 * The program's own settings are the user's then. Measured with 2.1.197 and 2.1.325: this alone keeps out all that a project brings, its hooks, helpers, servers, plugins,
 * permissions and variables, and its CLAUDE.md, also from directories above. `--strict-mcp-config` would take the user's own servers away as well.
 */
const WITHOUT_PROJECT = ["--setting-sources", "user"] as const;

export interface Launch {
  program: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** The environment of a start that nothing of the project's takes part in. */
function apart({ env }: Launch): SpawnSpec["env"] {
  return { ...env, ...carefulGit({ ...process.env, ...env }), ...ENVIRONMENT };
}

/** How a session's process is started; `id` is the program's own id of a new session, `mcpConfig` the file of the client's MCP servers. */
export function sessionSpec(launch: Launch, open: OpenOptions, id: string, mcpConfig?: string): SpawnSpec {
  const { program, env } = launch;
  const { directory, session, trusted, model, mode, options, resume } = open;
  const effort = effortIn(options);
  const argv: [string, ...string[]] = [
    program,
    ...STREAMS,
    ...(trusted ? [] : WITHOUT_PROJECT),
    ...resumption(resume, id),
    ...(model === undefined ? [] : ["--model", model]),
    ...(mcpConfig === undefined ? [] : ["--mcp-config", mcpConfig]),
    ...(mode === undefined ? [] : ["--permission-mode", mode]),
    ...(effort === undefined ? [] : ["--effort", effort]),
    // Only for the mode itself: a program that has this flag asks for nothing in the mode `plan`, either.
    ...(mode === BYPASS ? ["--allow-dangerously-skip-permissions"] : []),
  ];
  return { argv, directory, session, env: trusted ? { ...env, ...ENVIRONMENT } : apart(launch) };
}

/** A process that is only asked what it can do. Its directory may be anybody's, and what one project has is no answer for all. */
export function probeSpec(launch: Launch, directory: string): SpawnSpec {
  const argv = [launch.program, ...STREAMS, ...WITHOUT_PROJECT] as const;
  return { argv, directory, session: "discovery", env: apart(launch) };
}

export function authSpec(launch: Launch, directory: string): SpawnSpec {
  const argv = [launch.program, ...WITHOUT_PROJECT, "auth", "status", "--json"] as const;
  return { argv, directory, session: "discovery", env: apart(launch) };
}
