import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

const LINE_MS = 60_000;
const LEAVE_MS = 8_000;

/** How to end what runs now, so that an interrupted run leaves nothing. */
const running = new Set<() => void>();

export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** The next line on its stdout. */
  line(): Promise<string>;
  exited(): Promise<void>;
}

export interface ChildOptions {
  directory?: string;
  /** Beside the environment of this run; undefined takes a variable away. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** Starts a Node program with the Node of this run. It is ended, by its pid, when the caller's scope ends. */
export function startNode(args: readonly string[], { directory, env }: ChildOptions = {}): Child {
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`expected to start node ${args.join(" ")}, but the system refused`);
  const tracked = endedWithRun(() => child.kill("SIGKILL"));
  const gone = once(child, "exit").then(() => tracked[Symbol.dispose]());
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-2000);
  });
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  return {
    pid,
    exited: () => gone,
    async line() {
      const enough = new AbortController();
      const late = delay(LINE_MS, { done: true, value: "" }, { signal: enough.signal }).catch(() => undefined);
      const next = await Promise.race([lines.next(), late]);
      enough.abort();
      if (next && !next.done) return next.value;
      throw new Error(`expected a line from node ${args.join(" ")}, got none; it complained: ${complaints}`);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), LEAVE_MS);
      await gone;
      clearTimeout(late);
    },
  };
}

/** Registers the end of processes that `startNode` did not start. */
export function endedWithRun(end: () => void): Disposable {
  running.add(end);
  return { [Symbol.dispose]: () => void running.delete(end) };
}

/** For a run that is interrupted. */
export function endAll(): void {
  for (const end of running) end();
}
