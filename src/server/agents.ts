import { join } from "node:path";
import type { Agent, AgentMode, AgentModel } from "../agents/contract.ts";
import { createHouseAgent } from "../agents/house/agent.ts";
import { findModels, type HouseConfig } from "../agents/house/models.ts";
import { createScriptedAgent } from "../agents/scripted/agent.ts";
import { shippedAgent } from "../agents/scripted/launch.ts";
import type { CommandHost, ProcessHost } from "../host/contract.ts";

export type { HouseConfig };

/** An agent that the configuration adds: any program that speaks the line protocol. */
export interface ConfiguredAgent {
  command: readonly [string, ...string[]];
  env?: Readonly<Record<string, string>>;
  models?: AgentModel[];
  modes?: AgentMode[];
  steer?: boolean;
  /** How long it may take until it says that it is ready. */
  readyMs?: number;
}

/** The agent of a session that names none: it works without a key, and with a model whose key is set where there is one. */
export const DEFAULT_AGENT = "house";

export interface AgentSettings {
  agents: Readonly<Record<string, ConfiguredAgent>>;
  house?: HouseConfig;
}

/** Every agent that sessions may name: those that ship with Parley, then the configured ones, which may replace them. */
export function buildAgents(
  { agents: configured, house }: AgentSettings,
  host: ProcessHost & CommandHost,
  dataDirectory: string,
): Map<string, Agent> {
  const shipped = [
    createHouseAgent({ host, models: findModels(process.env, house) }),
    createScriptedAgent({ ...shippedAgent(join(dataDirectory, "cache")), host }),
  ];
  const agents = new Map<string, Agent>(shipped.map((agent) => [agent.name, agent]));
  for (const [name, { command, ...rest }] of Object.entries(configured)) {
    agents.set(name, createScriptedAgent({ name, argv: command, host, ...rest }));
  }
  return agents;
}
