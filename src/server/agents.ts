import { join } from "node:path";
import type { Agent, AgentMode, AgentModel } from "../agents/contract.ts";
import { createScriptedAgent } from "../agents/scripted/agent.ts";
import { shippedAgent } from "../agents/scripted/launch.ts";
import type { ProcessHost } from "../host/contract.ts";

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

/** Every agent that sessions may name: those that ship with Parley, then the configured ones, which may replace them. */
export function buildAgents(
  configured: Readonly<Record<string, ConfiguredAgent>>,
  host: ProcessHost,
  dataDirectory: string,
): Map<string, Agent> {
  const shipped = createScriptedAgent({ ...shippedAgent(join(dataDirectory, "cache")), host });
  const agents = new Map<string, Agent>([[shipped.name, shipped]]);
  for (const [name, { command, ...rest }] of Object.entries(configured)) {
    agents.set(name, createScriptedAgent({ name, argv: command, host, ...rest }));
  }
  return agents;
}
