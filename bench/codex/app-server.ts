import { spawn } from "node:child_process";
import { once } from "node:events";
import { endedWithRun } from "../harness/child.ts";

/** A line of the program: an answer, or a notice. */
export interface Line {
  id?: number;
  method?: string;
  params?: { threadId?: string; delta?: string };
  result?: { thread?: { id: string } };
  error?: { message: string };
}

type Listener = (line: Line, now: number) => void;

/** The program as it is, and the least client that can talk to it. */
export interface AppServer extends AsyncDisposable {
  readonly pid: number;
  ask(method: string, params: object): Promise<Line>;
  /** Hears every notice until the answer is called. */
  listen(listener: Listener): () => void;
}

const CLIENT = { name: "bench", title: "Bench", version: "1" };

export async function startAppServer(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<AppServer> {
  const child = spawn(program, ["app-server"], { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "ignore"] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`expected to start ${program}, but the system refused`);
  const tracked = endedWithRun(() => child.kill("SIGKILL"));
  const gone = once(child, "exit").then(() => tracked[Symbol.dispose]());
  child.stdin.on("error", () => {});
  const open = new Map<number, (line: Line) => void>();
  const listeners = new Set<Listener>();
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
  const write = (line: object): void => void child.stdin.write(`${JSON.stringify(line)}\n`);
  const ask: AppServer["ask"] = async (method, params) => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<Line>();
    open.set(id, resolve);
    write({ id, method, params });
    const line = await Promise.race([promise, gone.then((): Line => ({ error: { message: "it exited" } }))]);
    open.delete(id);
    if (line.error) throw new Error(`expected an answer of Codex to ${method}, got: ${line.error.message}`);
    return line;
  };
  await ask("initialize", { clientInfo: CLIENT, capabilities: null });
  write({ method: "initialized" });
  return {
    pid,
    ask,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await gone;
    },
  };
}
