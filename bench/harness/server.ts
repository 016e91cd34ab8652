import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Child, startNode } from "./child.ts";
import { tempDirectory, warmCache } from "./machine.ts";
import { installedParley } from "./package.ts";

export const SAMPLE_AGENT = fileURLToPath(new URL("../../src/testing/sample-agent.ts", import.meta.url));
export const PACED_AGENT = fileURLToPath(new URL("../programs/paced-agent.ts", import.meta.url));
const PLAIN_RELAY = fileURLToPath(new URL("../programs/plain-relay.ts", import.meta.url));
const EVENT_RELAY = fileURLToPath(new URL("../programs/event-relay.mjs", import.meta.url));
const PLAIN_SERVER = fileURLToPath(new URL("../programs/plain-server.mjs", import.meta.url));

export interface Server {
  readonly url: string;
  readonly child: Child;
}

export interface ServeOptions {
  /** The installed one unless told. */
  program?: string;
  /** A fresh one unless told. */
  dataDirectory?: string;
  /** Compiled code is kept here; a directory of the run's own unless told. */
  compileCache?: string;
  flags?: readonly string[];
  /** Settings of the user's configuration, beside the paced agent. */
  config?: Readonly<Record<string, unknown>>;
  /** Beside the environment of this run; undefined takes a variable away. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** Starts `parley serve` as its users do: one process, any free port, the paced agent in its configuration. */
export async function startParley(scope: AsyncDisposableStack, options: ServeOptions = {}): Promise<Server> {
  const home = await tempDirectory(scope);
  await mkdir(join(home, "parley"));
  const agents = { paced: { command: [process.execPath, PACED_AGENT] } };
  await writeFile(join(home, "parley", "config.jsonc"), JSON.stringify({ agents, ...options.config }));
  return launchParley(scope, home, { compileCache: warmCache(), ...options });
}

/** The same without a configuration, for measuring how long it takes. */
export async function launchParley(
  scope: AsyncDisposableStack,
  directory: string,
  options: ServeOptions,
): Promise<Server> {
  const { dataDirectory = join(directory, "data"), compileCache = directory, flags = [] } = options;
  const program = options.program ?? installedParley();
  const args = [program, "serve", "--json", "--port", "0", "--data-dir", dataDirectory, "--insecure-no-auth", ...flags];
  const env = { ...options.env, XDG_CONFIG_HOME: directory, NODE_COMPILE_CACHE: compileCache };
  const child = scope.use(startNode(args, { directory, env }));
  const { url } = JSON.parse(await child.line()) as { url: string };
  return { url, child };
}

/** A program on plain Node that prints its URL. */
async function startPlain(scope: AsyncDisposableStack, args: readonly string[]): Promise<Server> {
  const child = scope.use(startNode(args, { env: { NODE_COMPILE_CACHE: warmCache() } }));
  return { url: await child.line(), child };
}

export function startPlainServer(scope: AsyncDisposableStack): Promise<Server> {
  return startPlain(scope, [PLAIN_SERVER]);
}

/** Passes an agent's lines on to event streams, and does nothing else. */
export function startPlainRelay(scope: AsyncDisposableStack, agent: string): Promise<Server> {
  return startPlain(scope, [PLAIN_RELAY, agent]);
}

/** Passes the bytes of an event stream on, and does nothing else. */
export function startEventRelay(scope: AsyncDisposableStack, source: string): Promise<Server> {
  return startPlain(scope, [EVENT_RELAY, source]);
}
