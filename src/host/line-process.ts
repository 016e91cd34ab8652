import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Exit, LineEvents, LineProcess, SpawnSpec } from "./contract.ts";
import { watchDrain } from "./drain.ts";
import { createLastLines } from "./last-lines.ts";
import { readLines } from "./line-output.ts";
import { guardedStdio } from "./master-guard.ts";
import type { ProcessWatcher } from "./process-keeper.ts";
import { spawnFailure } from "./spawn-failure.ts";

/** How long a program may live on with its output closed, or without reading its input. */
const HALF_CLOSED_MS = 1_000;
const HALF_CLOSED_GRACE_MS = 2_000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Stands in for a program that could not be started. */
function failedProcess(started: Promise<never>): LineProcess {
  return {
    pid: 0,
    started,
    exited: started.catch(() => ({ code: null, signal: null, stderr: [] })),
    write: async () => {},
    endInput: () => {},
    kill: async () => {},
    pause: () => {},
    resume: () => {},
  };
}

/** Resolves when the text was handed to the system; a reader that is gone is no error, its exit tells. */
function writeText(stdin: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (stdin.destroyed || stdin.writableEnded) resolve();
    else stdin.write(text, () => resolve());
  });
}

/** Starts a program as leader of a process group of its own. */
export function startLineProcess(spec: SpawnSpec, events: LineEvents, watcher: ProcessWatcher): LineProcess {
  try {
    const env = { ...process.env, ...spec.env };
    const { argv, directory } = spec;
    const [program, ...args] = watcher.launch({ argv, directory, searchPath: env.PATH });
    const stdio = guardedStdio(["pipe", "pipe", "pipe"]);
    const child = spawn(program, args, { cwd: directory, env, detached: true, stdio }) as Child;
    if (child.pid !== undefined) return watch(child, child.pid, events, watcher);
    // The system refused; Node tells why in an event.
    return failedProcess(once(child, "error").then(([error]) => Promise.reject(spawnFailure(spec, error))));
  } catch (error) {
    return failedProcess(Promise.reject(spawnFailure(spec, error)));
  }
}

function watch(child: Child, pid: number, events: LineEvents, watcher: ProcessWatcher): LineProcess {
  watcher.onStart(pid);
  const ring = createLastLines();
  const stderrDone = Promise.withResolvers<void>();
  const output = readLines(child.stdout, events);
  child.stderr.on("data", (chunk: Buffer) => ring.push(chunk));
  const stderr = watchDrain(child.stderr, stderrDone.resolve);
  child.stdin.on("error", () => {});
  child.on("error", () => {});

  // A program that can no longer be heard, or no longer hears, is of no use, and its session would wait for ever.
  let inputEnded = false;
  const halfClosed = (): void => {
    const timer = setTimeout(() => void watcher.end(HALF_CLOSED_GRACE_MS), HALF_CLOSED_MS);
    child.once("exit", () => clearTimeout(timer));
  };
  child.stdout.once("end", halfClosed);
  child.stdin.once("close", () => {
    if (!inputEnded) halfClosed();
  });

  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", async (code, signal) => {
      watcher.onExit();
      output.programExited();
      stderr.programExited();
      await Promise.all([output.done, stderrDone.promise]);
      child.stdin.destroy();
      resolve({ code, signal, stderr: ring.lines() });
    });
  });

  return {
    pid,
    started: new Promise((resolve) => child.once("spawn", resolve)),
    exited,
    write: (line) => writeText(child.stdin, `${line}\n`),
    endInput: () => {
      inputEnded = true;
      child.stdin.end();
    },
    async kill(graceMs) {
      await watcher.end(graceMs);
      output.deliverRest();
    },
    pause: output.pause,
    resume: output.resume,
  };
}
