import type { SpawnSpec } from "../../host/contract.ts";
import type { OpenOptions } from "../contract.ts";
import { mayBypass } from "./modes.ts";

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
  // A program that replaces itself while sessions run on it is not the one that was tested.
  DISABLE_AUTOUPDATER: "1",
  // Each command begins in the session's directory, so that rules know which files its words name.
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
  // Nothing that it runs may answer its questions with Parley's token.
  PARLEY_TOKEN: undefined,
} as const;

export interface Launch {
  program: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** How a session's process is started; `id` is the program's own id of a new session. */
export function sessionSpec({ program, env }: Launch, open: OpenOptions, id: string): SpawnSpec {
  const { directory, session, model, mode, resume } = open;
  const argv: [string, ...string[]] = [
    program,
    ...STREAMS,
    ...(resume === undefined ? ["--session-id", id] : ["--resume", resume]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(mode === undefined ? [] : ["--permission-mode", mode]),
    // Without it a running program cannot be switched to this mode; by itself it allows nothing.
    ...(mayBypass({ ...process.env, ...env }) ? ["--allow-dangerously-skip-permissions"] : []),
  ];
  return { argv, directory, session, env: { ...env, ...ENVIRONMENT } };
}

/** A process that is only asked what it can do. */
export function probeSpec({ program, env }: Launch, directory: string): SpawnSpec {
  return { argv: [program, ...STREAMS], directory, session: "discovery", env: { ...env, ...ENVIRONMENT } };
}

export function authSpec({ program, env }: Launch, directory: string): SpawnSpec {
  const argv = [program, "auth", "status", "--json"] as const;
  return { argv, directory, session: "discovery", env: { ...env, ...ENVIRONMENT } };
}
