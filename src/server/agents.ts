import { join } from "node:path";
import { type AcpPlaces, foundAgent } from "../agents/acp/found-agent.ts";
import { findCommand, type Search } from "../agents/acp/known/find.ts";
import { knownAgent } from "../agents/acp/known/known.ts";
import { createClaudeAgent } from "../agents/claude/agent.ts";
import { createCodexAgent } from "../agents/codex/agent.ts";
import type { Agent, AgentMode, AgentModel, Agents } from "../agents/contract.ts";
import { createHouseAgent } from "../agents/house/agent.ts";
import { findModels, type HouseConfig } from "../agents/house/model/models.ts";
import { createLineProtocolAgent } from "../agents/line-protocol/agent.ts";
import { type LineProtocolAbility, sampleAgent } from "../agents/line-protocol/launch.ts";
import { createOpenCodeAgent } from "../agents/opencode/agent.ts";
import type { PortRange } from "../agents/opencode/serve/ports.ts";
import { ParleyError } from "../core/errors.ts";
import type { AgentOption } from "../core/events/values.ts";
import { present } from "../core/json/fields.ts";
import { findKey } from "../credentials/find.ts";
import type { CommandHost, ProcessHost } from "../host/contract.ts";
import { NamedAgents } from "./named-agents.ts";

export type { HouseConfig };

/** An agent that the configuration adds: a program that speaks the line protocol (`command`) or ACP (`acp`). */
export interface ConfiguredAgent {
  command?: readonly [string, ...string[]];
  acp?: readonly [string, ...string[]];
  /** The name for people of one that speaks ACP. */
  title?: string;
  env?: Readonly<Record<string, string>>;
  models?: AgentModel[];
  modes?: AgentMode[];
  options?: AgentOption[];
  steer?: boolean;
  can?: readonly LineProtocolAbility[];
  /** How long it may take until it says that it is ready. */
  readyMs?: number;
}

/** Works without a key, and with a model whose key is set where there is one. */
const LAST_RESORT = "house";

/** Those that serve a session which names none, where they are installed and logged in: the first that is. */
const PREFERRED = ["claude", "codex", "opencode"] as const;

/** The agent of a session that names none. */
export async function chooseDefaultAgent(agents: Agents, configured?: string): Promise<string> {
  if (configured !== undefined) return configured;
  for (const name of PREFERRED) if (await agents.get(name)?.usable?.()) return name;
  return LAST_RESORT;
}

/** Where the house agent takes API keys from; `found` adds the files of other agents. */
export type HouseCredentials = "environment" | "found";

export interface AgentSettings {
  agents: Readonly<Record<string, ConfiguredAgent>>;
  /** Whether ACP agents that Parley knows, and that are installed, are listed; not unless told. All of them can be named. */
  knownAgents?: boolean;
  house?: HouseConfig;
  houseCredentials?: HouseCredentials;
  /** The address of an OpenCode server that the user runs. Absent: Parley starts its own. */
  opencodeUrl?: string;
  /** The ports that OpenCode's servers may have. */
  opencodePorts?: PortRange;
  /** How long an OpenCode server that nobody uses is kept; 0 for ever. */
  opencodeIdleMs?: number;
}

/** The environment as the house agent sees it. Logins are never taken: only the programs that they were given to may use them. */
function houseEnvironment(places: HouseCredentials | undefined): NodeJS.ProcessEnv {
  if (places !== "found") return process.env;
  const key = (variable: string, provider: string): Record<string, string> => {
    const found = process.env[variable] || findKey(provider, process.env);
    return found ? { [variable]: found } : {};
  };
  return { ...process.env, ...key("ANTHROPIC_API_KEY", "anthropic"), ...key("OPENAI_API_KEY", "openai") };
}

/** An agent of the configuration. One that has a known name keeps what is known of it and not said otherwise. */
function configuredAgent(name: string, configured: ConfiguredAgent, places: AcpPlaces): Agent {
  const { command, acp, title, can, steer, modes, options, ...rest } = configured;
  const { host } = places;
  if (command)
    return createLineProtocolAgent({ name, argv: command, host, ...present({ can, steer, modes, options }), ...rest });
  if (!acp) throw new ParleyError("invalid", `expected "command" or "acp" of agent ${name}, got neither`);
  const { title: known, login, files, env: usual } = knownAgent(name) ?? {};
  const search = (): Search => findCommand(acp, places);
  const env = { ...usual, ...rest.env };
  return foundAgent({ name, ...present({ title: title ?? known, login, files }), ...rest, env, search }, places);
}

/** Every agent that sessions may name: those that ship with Parley, the configured ones, which may replace them, and those that are made when they are named. */
export function buildAgents(
  settings: AgentSettings,
  host: ProcessHost & CommandHost,
  dataDirectory: string,
): NamedAgents {
  const { agents: configured, house, houseCredentials, knownAgents: listKnown = false } = settings;
  const places = { host, dataDirectory, env: process.env };
  const { opencodeUrl: url, opencodePorts: ports, opencodeIdleMs: idleMs } = settings;
  const shipped: Agent[] = [
    createClaudeAgent({ host, dataDirectory }),
    createCodexAgent({ host, dataDirectory }),
    createOpenCodeAgent({ host, dataDirectory, url, ports, idleMs }),
    createHouseAgent({ host, models: findModels(houseEnvironment(houseCredentials), house) }),
    createLineProtocolAgent({ ...sampleAgent(join(dataDirectory, "cache")), host }),
  ];
  const agents = new Map<string, Agent>(shipped.map((agent) => [agent.name, agent]));
  for (const [name, one] of Object.entries(configured)) agents.set(name, configuredAgent(name, one, places));
  return new NamedAgents(agents, { ...places, listKnown });
}
