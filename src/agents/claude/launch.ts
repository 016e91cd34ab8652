import type { SpawnSpec } from "../../host/contract.ts";
import type { OpenOptions } from "../contract.ts";
import { BYPASS } from "./modes.ts";

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
  // It would switch off the hooks by which the session's rules see each call.
  CLAUDE_CODE_SIMPLE: undefined,
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
    // Only for the mode itself: a program that has this flag asks for nothing in the mode `plan`, either.
    ...(mode === BYPASS ? ["--allow-dangerously-skip-permissions"] : []),
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
