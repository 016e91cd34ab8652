import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { deadline } from "../support/time.ts";

export const BIN = fileURLToPath(new URL("../../bin/parley.js", import.meta.url));
export const SAMPLE_AGENT = fileURLToPath(new URL("../../src/testing/sample-agent.ts", import.meta.url));

export interface Result {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** The text on stdin; none by default. */
  input?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** A file instead of the pipe. */
  stdout?: number;
  /** Another user; only root can be one. */
  uid?: number;
}

/** A home of its own for a test: nothing of the machine's configuration gets in, nothing of the test's gets out. */
export class Home {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "parley-cli-")));
  readonly work = join(this.root, "work");
  readonly dataDir = join(this.root, "data", "parley");
  readonly userConfig = join(this.root, "config", "parley", "config.jsonc");
  readonly #running = new Set<ChildProcess>();
  /** Of the commands that name none: most tests need one that does as it is told. */
  #agent = "scripted";

  constructor() {
    mkdirSync(this.work);
  }

  env(more: Record<string, string> = {}): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.root,
      TMPDIR: tmpdir(),
      XDG_CONFIG_HOME: join(this.root, "config"),
      XDG_DATA_HOME: join(this.root, "data"),
      PARLEY_AGENT: this.#agent,
      PARLEY_KNOWN_AGENTS: "false",
      ...(process.env.NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE } : {}),
      ...more,
    };
  }

  write(path: string, content: string): string {
    const file = join(this.root, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  configure(config: object): void {
    if ("defaultAgent" in config) this.#agent = "";
    this.write("config/parley/config.jsonc", JSON.stringify(config));
  }

  start(args: readonly string[], options: RunOptions = {}): ChildProcess {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: options.cwd ?? this.work,
      env: this.env(options.env),
      stdio: ["pipe", options.stdout ?? "pipe", "pipe"],
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    });
    this.#running.add(child);
    child.once("exit", () => this.#running.delete(child));
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input ?? "");
    return child;
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
    return finished(this.start(args, options));
  }

  /** Starts a server and resolves with what its first line says. */
  async serve(args: readonly string[] = [], options: RunOptions = {}): Promise<{ child: ChildProcess; line: string }> {
    const child = this.start(["serve", "--port", "0", ...args], options);
    return { child, line: await firstLine(child) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map(ended));
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Asks first, so that a server takes its agents along: they would go on writing to what is removed next. */
async function ended(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  using _late = deadline(() => child.kill("SIGKILL"));
  await exited;
}

export async function finished(child: ChildProcess): Promise<Result> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("expected a child with pipes");
  const [out, err, [code, signal]] = await Promise.all([
    text(stdout),
    text(stderr),
    once(child, "close") as Promise<[number | null, string | null]>,
  ]);
  return { code, signal, stdout: out, stderr: err };
}

/** Resolves with the first line on stdout; rejects with stderr when the process ends before. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = "";
    let err = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      out += chunk;
      if (out.includes("\n")) resolve(out.slice(0, out.indexOf("\n")));
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      err += chunk;
    });
    child.once("close", (code) => reject(new Error(`exited with ${code} before its first line: ${err}`)));
  });
}

/** Resolves when a stream of a child has said something. */
export function said(stream: NodeJS.ReadableStream | null, wanted: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let all = "";
    stream?.on("data", (chunk: Buffer) => {
      all += chunk;
      if (all.includes(wanted)) resolve(all);
    });
    stream?.once("end", () => reject(new Error(`expected "${wanted}", got only: ${all}`)));
  });
}
