import { spawn } from "node:child_process";
import { once } from "node:events";
import { endedWithRun } from "../harness/child.ts";

/** A line of the agent: an answer, or a notice. */
export interface Line {
  id?: number;
  method?: string;
  params?: { update?: { sessionUpdate?: string; content?: { text?: string } } };
  result?: { sessionId?: string };
  error?: { message: string };
}

export interface AgentCommand {
  argv: readonly [string, ...string[]];
  env: Readonly<Record<string, string | undefined>>;
  directory: string;
}

/** An agent of the Agent Client Protocol as an editor starts it, and the least client that can talk to it. */
export interface StdioAgent extends AsyncDisposable {
  readonly pid: number;
  /** Milliseconds from its start to its answer to initialize. */
  readonly initialized: number;
  ask(method: string, params: object): Promise<Line>;
  /** Hears every update until the answer is called. */
  listen(listener: (line: Line, now: number) => void): () => void;
}

const INITIALIZE = { protocolVersion: 1, clientCapabilities: {}, clientInfo: { name: "bench", version: "1" } };

export async function startAgent({ argv: [program, ...args], env, directory }: AgentCommand): Promise<StdioAgent> {
  const began = performance.now();
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`expected to start ${program}, but the system refused`);
  const tracked = endedWithRun(() => child.kill("SIGKILL"));
  const gone = once(child, "exit").then(() => tracked[Symbol.dispose]());
  child.stdin.on("error", () => {});
  const open = new Map<number, (line: Line) => void>();
  const listeners = new Set<(line: Line, now: number) => void>();
  let last = 0;
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const now = performance.now();
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.map((one) => JSON.parse(one) as Line)) {
      if (line.method === undefined) open.get(line.id ?? 0)?.(line);
      else for (const listener of listeners) listener(line, now);
    }
  });
  const ask: StdioAgent["ask"] = async (method, params) => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<Line>();
    open.set(id, resolve);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const line = await Promise.race([promise, gone.then((): Line => ({ error: { message: "it exited" } }))]);
    open.delete(id);
    if (line.error) throw new Error(`expected an answer of ${program} to ${method}, got: ${line.error.message}`);
    return line;
  };
  await ask("initialize", INITIALIZE);
  return {
    pid,
    initialized: performance.now() - began,
    ask,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      // Some agents stay when their client has gone.
      const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await gone;
      clearTimeout(late);
    },
  };
}
