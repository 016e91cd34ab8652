import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Stray } from "../../../src/host/reaper.ts";
import { freePort } from "../../support/postgres.ts";
import { dataDirectoryOf, straysOf } from "../../support/process.ts";
import type { TcpProxy } from "../../support/tcp-proxy.ts";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const AGENT = fileURLToPath(new URL("./agent.sh", import.meta.url));
const CLOCK = fileURLToPath(new URL("./clock.mjs", import.meta.url));

export const TOKEN = "chaos-token-of-all-nodes-0123456789abcdef";

export interface NodeOptions {
  name: string;
  /** Holds the data directory and the configuration. */
  home: string;
  /** The directory that all sessions work in. */
  work: string;
  /** The database, as this node reaches it. */
  databaseUrl: string;
  /** The way of notifications, where the other leads through pgbouncer. */
  listenUrl?: string | undefined;
  /** What becomes of asks while no client watches. */
  unattended?: "wait" | "deny" | "allow" | undefined;
  leaseMs: number;
  /** The way of the node to the database. */
  toDatabase: TcpProxy;
  /** The way of the other nodes to this one. */
  toNode: TcpProxy;
  port: number;
}

/** A `parley serve` of its own among others. */
export class ChaosNode {
  readonly options: NodeOptions;
  /** The checkout whose program is run. */
  program = ROOT;
  /** Milliseconds by which the clock of its machine is wrong. */
  clock = 0;
  private child: ChildProcess | undefined;
  private said = "";

  constructor(options: NodeOptions) {
    this.options = options;
  }

  get name(): string {
    return this.options.name;
  }

  get home(): string {
    return this.options.home;
  }

  /** The address of its own port: clients go there. */
  get url(): string {
    return `http://127.0.0.1:${this.options.port}`;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Its words so far, over all starts. */
  get stderr(): string {
    return this.said;
  }

  /** Resolves when its port is open. */
  async start(): Promise<void> {
    const { home, work, name, port, databaseUrl, listenUrl, leaseMs, toNode, unattended = "wait" } = this.options;
    const config = join(home, "config", "parley");
    mkdirSync(config, { recursive: true });
    const agents = { quick: { command: [AGENT] }, lingers: { command: [AGENT, "--linger"] } };
    writeFileSync(join(config, "config.jsonc"), JSON.stringify({ agents }));
    const flags = ["--json", "--port", String(port), "--data-dir", dataDirectoryOf(home), "--dir", work];
    const node = [
      "--node-name",
      name,
      "--node-address",
      `http://127.0.0.1:${toNode.port}`,
      "--node-lease",
      `${leaseMs}ms`,
    ];
    const program = join(this.program, "bin", "parley.js");
    const child = spawn(
      process.execPath,
      ["--import", CLOCK, program, "serve", ...flags, ...node, "--place", "here", "--log-level", "warn"],
      {
        env: {
          ...process.env,
          XDG_CONFIG_HOME: join(home, "config"),
          PARLEY_TOKEN: TOKEN,
          PARLEY_AGENT: "quick",
          PARLEY_KNOWN_AGENTS: "false",
          PARLEY_DATABASE: databaseUrl,
          ...(listenUrl !== undefined && { PARLEY_DATABASE_LISTEN: listenUrl }),
          PARLEY_UNATTENDED: unattended,
          PARLEY_TEST_CLOCK: String(this.clock),
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.child = child;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      this.said += text;
    });
    const ended = once(child, "exit");
    const lines = createInterface({ input: child.stdout });
    const first = await Promise.race([once(lines, "line"), ended.then(() => [undefined])]);
    if (typeof first[0] !== "string") throw new Error(`node ${name} ended before it was ready: ${said}`);
  }

  signal(signal: NodeJS.Signals): void {
    if (this.running) this.child?.kill(signal);
  }

  /** Sends a signal and resolves with how the process ended. */
  async end(signal: NodeJS.Signals): Promise<string> {
    const { child } = this;
    if (!child || !this.running) return "it did not run";
    const ended = once(child, "exit");
    child.kill(signal);
    // A stopped process hears of nothing but KILL.
    if (signal !== "SIGKILL") child.kill("SIGCONT");
    return howEnded(await ended);
  }

  /** Resolves with how the process ended by itself. */
  async ended(): Promise<string> {
    const { child } = this;
    if (!child) return "it did not run";
    if (this.running) return howEnded(await once(child, "exit"));
    return howEnded([child.exitCode, child.signalCode]);
  }

  /** The processes that run because of this node, its own agents among them. */
  agents(): Stray[] {
    return straysOf(this.home);
  }
}

function howEnded([code, signal]: unknown[]): string {
  return signal === null ? `exit ${String(code)}` : String(signal);
}

export async function portsFor(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await freePort();
    if (!ports.includes(port)) ports.push(port);
  }
  return ports;
}
