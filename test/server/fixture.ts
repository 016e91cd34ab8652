import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PATH = fileURLToPath(new URL("./fixtures/serve.ts", import.meta.url));

export interface Fixture {
  child: ChildProcess;
  /** Resolves with the first match on stdout. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export function startFixture(env: Record<string, string>): Fixture {
  const child = spawn(process.execPath, [PATH], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const closed = once(child, "close");
  const ended = closed.then(() => ({ code: child.exitCode, stdout, stderr }));
  return {
    child,
    ended,
    async said(pattern) {
      for (;;) {
        const match = pattern.exec(stdout);
        if (match) return match;
        const over = await Promise.race([once(child.stdout, "data").then(() => false), closed.then(() => true)]);
        if (over && !pattern.test(stdout)) throw new Error(`ended without ${pattern}: ${stdout}${stderr}`);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

export async function runFixture(env: Record<string, string>) {
  await using fixture = startFixture(env);
  return await fixture.ended;
}
