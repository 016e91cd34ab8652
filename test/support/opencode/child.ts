import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { deadline } from "../time.ts";

const GRACE_MS = 5_000;

export interface Exit {
  code: number | null;
  signal: string | null;
}

/** Starts a real program with pipes. The caller ends it. */
export interface RealChild {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stdout(): string;
  stderr(): string;
  /** Resolves with the first match in what it says on stdout; rejects when it ends or takes too long. */
  said(pattern: RegExp, withinMs: number): Promise<RegExpExecArray>;
  end(): Promise<Exit>;
}

export interface ChildOptions {
  cwd: string;
  env: Record<string, string>;
}

export function startChild(program: string, args: readonly string[], options: ChildOptions): RealChild {
  const child: ChildProcess = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    child.emit("said");
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = (async (): Promise<Exit> => {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    return { code, signal };
  })();
  exited.catch(() => {});
  const told = (): string => `${program} ${args.join(" ")}\nstdout: ${stdout}\nstderr: ${stderr}`;
  return {
    pid: child.pid ?? 0,
    exited,
    stdout: () => stdout,
    stderr: () => stderr,
    said(pattern, withinMs) {
      return new Promise((resolve, reject) => {
        const done = (settle: () => void): void => {
          late[Symbol.dispose]();
          child.off("said", look);
          settle();
        };
        const look = (): void => {
          const match = pattern.exec(stdout);
          if (match) done(() => resolve(match));
        };
        const give = (why: string) => () => done(() => reject(new Error(`${pattern} was not said: ${why}\n${told()}`)));
        const late = deadline(give(`not within ${withinMs} ms`), withinMs);
        child.on("said", look);
        exited.then(give("it has ended"), give("it could not be started"));
        look();
      });
    },
    async end() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        using _late = deadline(() => child.kill("SIGKILL"), GRACE_MS);
        await exited;
      }
      return exited;
    },
  };
}
