import { messageOf } from "../core/errors.ts";
import type { LogFields, Logger } from "../core/logger.ts";
import { within } from "../core/within.ts";
import type { CommandHost, Freezer, ProcessHost } from "../host/contract.ts";
import type { Roots } from "../host/files/roots.ts";
import { createProcessHost } from "../host/process-host.ts";
import type { KeeperOptions } from "../host/process-keeper.ts";
import { type AgentSettings, buildAgents, chooseDefaultAgent } from "./agents.ts";
import type { NamedAgents } from "./named-agents.ts";
import { once } from "./once.ts";
import { type TrustOptions, TrustStore } from "./trust/trust-store.ts";

/** The parts of an engine that start agents. They need no log, so that a program can start before one is open. */
export interface AgentParts {
  /** How processes are kept: those of agents, and others. */
  keeping: KeeperOptions;
  commands: ProcessHost & CommandHost & Freezer;
  agents: NamedAgents;
  trust: TrustStore;
  /** The agent of a session that names none. */
  defaultAgent(): Promise<string>;
}

export interface AgentPartsOptions extends AgentSettings {
  dataDirectory: string;
  defaultAgent?: string;
  trust?: Omit<TrustOptions, "warn">;
  logger: Logger;
}

export function agentParts(options: AgentPartsOptions, processes: KeeperOptions): AgentParts {
  const { dataDirectory, logger } = options;
  const keeping = { ...processes, log: (message: string, details: LogFields) => logger.warn(details, message) };
  const commands = createProcessHost(keeping);
  const agents = buildAgents(options, commands, dataDirectory);
  return {
    keeping,
    commands,
    agents,
    trust: new TrustStore({ configured: [], ...options.trust, warn: (message) => logger.warn({}, message) }),
    defaultAgent: once(() => chooseDefaultAgent(agents, options.defaultAgent)),
  };
}

/** The agent (the default one unless named) whose program is needed at once. */
export interface Ahead {
  agent: string | undefined;
  /** Called when its program starts, or none will. The server starts after what it does then. */
  begun?(): Promise<void>;
}

export interface AheadOptions {
  /** Where a session is likely to come. */
  directory: string;
  roots: Roots;
  logger: Logger;
}

/** A server waits no longer for the start of a program. */
const BEGUN_MS = 250;

/**
 * Has an agent start what its sessions share, ahead of one in this directory. Resolves when its program was started, which takes long by itself: nothing else goes
 * first. A session that needs it meets a failure again, and tells it.
 */
export async function startAhead(parts: AgentParts, ahead: Ahead, options: AheadOptions): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  begin(parts, ahead.agent, options, resolve)
    .catch((error: unknown) => options.logger.debug({ err: error }, `no agent started ahead: ${messageOf(error)}`))
    .finally(resolve);
  await within(promise, BEGUN_MS);
  await ahead.begun?.();
}

async function begin(
  { agents, trust, defaultAgent }: AgentParts,
  name: string | undefined,
  { directory, roots }: AheadOptions,
  begun: () => void,
): Promise<void> {
  if (!roots.has(directory)) return;
  const agent = agents.get(name ?? (await defaultAgent()));
  await agent?.ahead?.({ directory, trusted: trust.covering(directory) !== undefined }, begun);
}
