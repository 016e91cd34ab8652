import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { keepNewest } from "../../../core/entries.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { KeptServer } from "../../../gateway/mcp-servers.ts";
import type { CommandHost } from "../../../host/contract.ts";
import type { Bus } from "../bus.ts";
import type { GivenEntries } from "../nodes/entries.ts";
import { type McpConfig, projectServers, serverOf } from "./config.ts";
import { type McpStatus, probe } from "./probe.ts";

const MAX_DIRECTORIES = 200;
const MAX_SERVERS = 100;
const PROBE_MS = 15_000;

interface Known {
  config: McpConfig;
  /** As the project's file has it, and whether the project was trusted then; absent where a client gave it. */
  from?: string;
  /** Whether it may be begun. */
  trusted: boolean;
  status: Promise<McpStatus>;
}

type Given = Omit<Known, "status">;

export interface McpOptions {
  gateway: Gateway;
  bus: Bus;
  commands: CommandHost;
  /** Where the servers that clients gave or switched are kept for all nodes of a place; in memory without it. */
  given?: GivenEntries<Given>;
}

/** The MCP servers that sessions of a directory are begun with. They are forgotten when the server, or the node that was told of them, ends. */
export class McpServers {
  readonly #options: McpOptions;
  readonly #directories = new Map<string, Map<string, Known>>();

  constructor(options: McpOptions) {
    this.#options = options;
  }

  async status(directory: string): Promise<Record<string, McpStatus>> {
    const all = await this.#all(directory);
    const told = [...all].map(async ([name, { status }]) => [name, await status] as const);
    return Object.fromEntries(await Promise.all(told));
  }

  async find(directory: string, name: string): Promise<McpConfig | undefined> {
    return (await this.#all(directory)).get(name)?.config;
  }

  async add(directory: string, name: string, config: McpConfig): Promise<void> {
    const all = await this.#all(directory);
    if (config.type === "local" && config.cwd !== undefined)
      this.#options.gateway.roots.assert(resolve(directory, config.cwd));
    await this.#put(all, directory, name, { config, trusted: true });
  }

  /** Returns false where there is no such server. */
  async switch(directory: string, name: string, enabled: boolean): Promise<boolean> {
    const all = await this.#all(directory);
    const known = all.get(name);
    if (!known) return false;
    await this.#put(all, directory, name, { ...known, config: { ...known.config, enabled } });
    return true;
  }

  /** The servers for a new session of an agent. The client is told of those that the agent does not take. */
  async forSession(directory: string, agent: string): Promise<KeptServer[]> {
    const all = await this.#all(directory);
    const takes = this.#options.gateway.work.capabilities(agent).mcp;
    const usable: KeptServer[] = [];
    const left: string[] = [];
    for (const [name, { config, status, trusted, from }] of all) {
      if (!trusted || config.enabled === false) continue;
      const server = serverOf(name, config);
      if (!takes.includes(server.type)) left.push(name);
      else if ((await status).status === "connected")
        usable.push({ ...server, ...(from === undefined ? {} : { ofProject: true }) });
    }
    if (left.length > 0) {
      this.#options.bus.warn(directory, `The agent ${agent} does not take these MCP servers: ${left.join(", ")}`);
    }
    return usable;
  }

  /** Servers of clients, and those that the project's configuration names now. */
  async #all(directory: string): Promise<Map<string, Known>> {
    this.#options.gateway.roots.assert(directory);
    const all = this.#directories.get(directory) ?? new Map<string, Known>();
    keepNewest(this.#directories, directory, all, MAX_DIRECTORIES);
    const named = await projectServers(directory);
    const trusted = this.#options.gateway.trust.trusts(directory);
    const fromOf = (name: string): string => JSON.stringify([trusted, named.get(name) ?? null]);
    for (const [name, { from }] of all) if (from !== undefined && from !== fromOf(name)) all.delete(name);
    for (const [name, config] of named) {
      if (all.has(name)) continue;
      const status = this.#look(directory, name, { config, trusted });
      keepNewest(all, name, { config, from: fromOf(name), trusted, status }, MAX_SERVERS);
    }
    await this.#takeGiven(directory, all, fromOf);
    return all;
  }

  /** Takes over what clients of other nodes have said, and forgets what was said to nodes that have stopped. */
  async #takeGiven(directory: string, all: Map<string, Known>, fromOf: (name: string) => string): Promise<void> {
    const given = await this.#options.given?.read(directory);
    if (!given) return;
    for (const [name, { from }] of all) if (from === undefined && !given.has(name)) all.delete(name);
    for (const [name, known] of given) {
      const before = all.get(name);
      if (known.from !== undefined && known.from !== fromOf(name)) continue;
      if (before && isDeepStrictEqual(before.config, known.config)) continue;
      this.#hold(all, name, { ...known, status: this.#look(directory, name, known) });
    }
  }

  /** Nothing that a project names is begun before the user trusts the project. */
  async #look(directory: string, name: string, { config, trusted }: Omit<Known, "status">): Promise<McpStatus> {
    if (config.enabled === false) return { status: "disabled" };
    if (trusted) return probe(this.#options.commands, serverOf(name, config), directory, config.timeout ?? PROBE_MS);
    return { status: "failed", error: `the project is not trusted, so it is not started: parley trust ${directory}` };
  }

  /** A server that is switched keeps its place in the list. */
  #hold(all: Map<string, Known>, name: string, known: Known): void {
    if (all.has(name)) all.set(name, known);
    else keepNewest(all, name, known, MAX_SERVERS);
  }

  async #put(all: Map<string, Known>, directory: string, name: string, known: Omit<Known, "status">): Promise<void> {
    const status = this.#look(directory, name, known);
    this.#hold(all, name, { ...known, status });
    const { config, from, trusted } = known;
    await this.#options.given?.give(directory, {
      [name]: { config, trusted, ...(from === undefined ? {} : { from }) },
    });
    await status;
    this.#options.bus.publish(directory, "mcp.tools.changed", { server: name });
  }
}
