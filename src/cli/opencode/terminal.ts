import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { spawnFailure } from "../../host/spawn-failure.ts";
import { CliError } from "../exit.ts";
import { launcherEnd } from "../launcher/watch.ts";

export interface TerminalProgram {
  argv: readonly [string, ...string[]];
  directory: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Signals to this process are passed on to the program that has the terminal. */
const PASSED_ON = ["SIGTERM", "SIGHUP"] as const;
/** How long it may take to end after one: an interface that is too busy to hear it would outlive its terminal. */
const GRACE_MS = 5_000;

/** Gives a program the terminal until it ends; returns its exit code. */
export async function runInTerminal(
  { argv, directory, env }: TerminalProgram,
  graceMs: number = GRACE_MS,
): Promise<number> {
  const [program, ...args] = argv;
  const child = spawn(program, args, { cwd: directory, env, stdio: "inherit" });
  // Ctrl-C reaches it by itself; it decides what that means, and we stay as long as it does.
  const ignore = (): void => {};
  let late: NodeJS.Timeout | undefined;
  const pass = (signal: NodeJS.Signals): void => {
    child.kill(signal);
    late ??= setTimeout(() => child.kill("SIGKILL"), graceMs);
  };
  process.on("SIGINT", ignore);
  const hangUp = (): void => pass("SIGHUP");
  for (const signal of PASSED_ON) process.on(signal, pass);
  launcherEnd().addEventListener("abort", hangUp);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    // As a shell tells it: 128 and the number of the signal.
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } catch (error) {
    throw new CliError(spawnFailure({ argv, directory, session: "" }, error).message);
  } finally {
    clearTimeout(late);
    process.off("SIGINT", ignore);
    for (const signal of PASSED_ON) process.off(signal, pass);
    launcherEnd().removeEventListener("abort", hangUp);
  }
}
