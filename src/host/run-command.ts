import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { CommandEvents, CommandSpec, RunningCommand } from "./contract.ts";
import { watchDrain } from "./drain.ts";
import { guardedStdio } from "./master-guard.ts";
import type { ProcessWatcher } from "./process-keeper.ts";
import { spawnFailure } from "./spawn-failure.ts";

type Child = ChildProcessByStdio<null, Readable, null>;

function failedCommand(exited: Promise<never>): RunningCommand {
  return { exited, kill: async () => {} };
}

// Both streams in one pipe: two pipes would lose the order in which the command wrote.
const MERGED = 'exec "$@" 2>&1';

function argvOf({ argv, errors }: CommandSpec): CommandSpec["argv"] {
  return errors === "dropped" ? argv : ["/bin/sh", "-c", MERGED, "sh", ...argv];
}

/** Runs a program as leader of a process group of its own and gives out its text as it comes. */
export function runCommand(spec: CommandSpec, events: CommandEvents, watcher: ProcessWatcher): RunningCommand {
  try {
    const env = { ...process.env, ...spec.env };
    const { directory } = spec;
    const [program, ...args] = watcher.launch({ argv: argvOf(spec), directory, searchPath: env.PATH });
    const stdio = guardedStdio(["ignore", "pipe", "ignore"]);
    const child = spawn(program, args, { cwd: directory, env, detached: true, stdio }) as Child;
    if (child.pid !== undefined) return watch(child, child.pid, events, watcher);
    return failedCommand(once(child, "error").then(([error]) => Promise.reject(spawnFailure(spec, error))));
  } catch (error) {
    return failedCommand(Promise.reject(spawnFailure(spec, error)));
  }
}

function watch(child: Child, pid: number, events: CommandEvents, watcher: ProcessWatcher): RunningCommand {
  watcher.onStart(pid);
  const decoder = new StringDecoder("utf8");
  const give = (text: string): void => {
    if (text !== "") events.output(text);
  };
  const read = Promise.withResolvers<void>();
  child.stdout.on("data", (chunk: Buffer) => give(decoder.write(chunk)));
  const drain = watchDrain(child.stdout, read.resolve);
  child.on("error", () => {});
  const exited = (async () => {
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    watcher.onExit();
    drain.programExited();
    await read.promise;
    give(decoder.end());
    return { code, signal };
  })();
  return { exited, kill: watcher.end };
}
