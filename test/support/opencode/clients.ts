import { deadline } from "../time.ts";
import { type RealChild, startChild } from "./child.ts";
import type { Surroundings } from "./surroundings.ts";
import { startInTerminal, type Tui } from "./tui.ts";

export interface AttachOptions {
  program: string;
  surroundings: Surroundings;
  url: string;
  password?: string;
  directory: string;
  /** Further arguments of the program. */
  args?: readonly string[];
}

function passwordVariable(password: string | undefined): Record<string, string> {
  return password === undefined ? {} : { OPENCODE_SERVER_PASSWORD: password };
}

/** The real terminal interface, attached to a server. */
export function startTui(options: AttachOptions & { cols?: number; rows?: number }): Tui {
  const { program, surroundings, url, directory, args = [], cols, rows, password } = options;
  return startInTerminal({
    program,
    args: ["attach", url, "--dir", directory, ...args],
    directory,
    env: surroundings.env(passwordVariable(password), "tui"),
    cols,
    rows,
  });
}

export interface RunResult {
  code: number | null;
  stdout: string;
  stderr: string;
  /** With `--format json`: each line of it. */
  events: { type: string; sessionID: string; [more: string]: unknown }[];
}

/** The real one-prompt client, attached to a server, as a process that still runs. */
function startRun(options: AttachOptions): RealChild {
  const { program, surroundings, url, directory, args = [], password } = options;
  const env = surroundings.env(passwordVariable(password), "run");
  return startChild(program, ["run", "--attach", url, "--dir", directory, ...args], { cwd: directory, env });
}

/** The same to its end. */
export async function runAttached(options: AttachOptions): Promise<RunResult> {
  const child = startRun(options);
  using _late = deadline(() => void child.end());
  const { code } = await child.exited;
  const json = options.args?.includes("json") ?? false;
  const lines = json ? child.stdout().split("\n").filter(Boolean) : [];
  return {
    code,
    stdout: child.stdout(),
    stderr: child.stderr(),
    events: lines.map((line) => JSON.parse(line) as RunResult["events"][number]),
  };
}
