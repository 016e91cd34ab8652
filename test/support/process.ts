import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { listStrays, type Stray } from "../../src/host/reaper.ts";
import type { ConfiguredAgent } from "../../src/server/agents.ts";
import { instanceOf } from "../../src/server/instance.ts";
import { Api } from "./api.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/parley.js", import.meta.url));

export interface ServerProcess {
  api: Api;
  pid: number;
  child: ChildProcess;
  /** Its stderr so far. */
  stderr(): string;
  /** Sends a signal and resolves with how the process ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }>;
}

export interface ProcessOptions {
  /** Holds the data directory and the configuration; the server starts there. */
  home: string;
  agents?: Record<string, ConfiguredAgent>;
  flags?: readonly string[];
  /** A module that is loaded before the program. */
  imports?: string;
  env?: Record<string, string>;
  /** Gets the process before it is ready. */
  onSpawn?(child: ChildProcess): void;
}

export const dataDirectoryOf = (home: string): string => join(home, "data");

/** Starts `parley serve` as a process of its own, as people run it. The caller ends it. */
export async function startProcess(options: ProcessOptions): Promise<ServerProcess> {
  const { home, agents = {}, flags = [], imports, env = {}, onSpawn } = options;
  const config = join(home, "config", "parley");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "config.jsonc"), JSON.stringify({ agents }));
  const args = ["serve", "--json", "--port", "0", "--data-dir", dataDirectoryOf(home), "--dir", home];
  const loaded = imports === undefined ? [] : ["--import", imports];
  const child = spawn(process.execPath, [...loaded, PROGRAM, ...args, "--insecure-no-auth", ...flags], {
    env: {
      ...process.env,
      ...env,
      XDG_CONFIG_HOME: join(home, "config"),
      PARLEY_TOKEN: undefined,
      PARLEY_AGENT: "scripted",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onSpawn?.(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, "line"), ended.then(() => [undefined])]);
  if (typeof first[0] !== "string") throw new Error(`the server ended before it was ready: ${stderr}`);
  const { url } = JSON.parse(first[0]) as { url: string };
  return {
    api: new Api(url),
    pid: child.pid ?? 0,
    child,
    stderr: () => stderr,
    async end(signal) {
      child.kill(signal);
      const [code, by] = await ended;
      return { code, signal: by };
    },
  };
}

/** Processes that servers on a data directory started and that none looks after; `owner` is the one that runs now. */
export function strays(dataDirectory: string, owner?: number): Stray[] {
  return listStrays({ runDirectory: join(dataDirectory, "run"), instance: instanceOf(dataDirectory), owner });
}

/** The same for the data directory of a server process. */
export function straysOf(home: string, owner?: number): Stray[] {
  return strays(dataDirectoryOf(home), owner);
}
