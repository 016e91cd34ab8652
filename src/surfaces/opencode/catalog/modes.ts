import type { AgentMode } from "../../../agents/contract.ts";
import { present } from "../../../core/json/fields.ts";
import type { PermissionRule } from "../shapes/session.ts";
import type { KnownAgent } from "./discoveries.ts";
import { defaultModelOf, isConnected, titleOf } from "./providers.ts";

/** OpenCode's name of the mode in which an agent works as it does by itself. */
export const BUILD = "build";
export const PLAN = "plan";

/** A mode in the form that OpenCode calls an agent. */
export interface ModeInfo {
  name: string;
  description?: string;
  mode: "primary" | "subagent";
  native: boolean;
  hidden?: boolean;
  model?: { providerID: string; modelID: string };
  permission: PermissionRule[];
  options: Record<string, never>;
}

function rule(permission: string, action: PermissionRule["action"]): PermissionRule {
  return { permission, pattern: "*", action };
}

// For show: what may be done is decided by the agent that does it.
const MAY_ASK = [rule("*", "ask")];
const MAY_LOOK = [rule("*", "ask"), rule("edit", "deny"), rule("bash", "deny")];

const OWN = { mode: "primary", native: true, options: {} } as const;
const BUILT_IN: readonly ModeInfo[] = [
  { ...OWN, name: BUILD, description: "The agent works as it does by itself.", permission: MAY_ASK },
  { ...OWN, name: PLAN, description: "The agent looks and plans, and changes nothing.", permission: MAY_LOOK },
];

/** The mode that `build` means: an agent that has none of that name means its first. */
function buildModeOf(modes: readonly AgentMode[]): string | undefined {
  return (modes.find(({ id }) => id === BUILD) ?? modes[0])?.id;
}

/** The gateway's mode for OpenCode's agent. Undefined where there is nothing to choose. */
export function modeFor(agent: string, modes: readonly AgentMode[]): string | undefined {
  return agent === BUILD ? buildModeOf(modes) : agent;
}

interface Owned {
  agent: KnownAgent;
  mode: AgentMode;
}

/** A mode of one agent alone brings that agent with it; one of several leaves the choice as it is. */
function infoOf(name: string, owners: readonly Owned[], used: readonly string[]): ModeInfo {
  const [first] = owners;
  const only = owners.length === 1 ? first?.agent : undefined;
  const description = first?.mode.description ?? first?.mode.name;
  const whose = owners.map(({ agent }) => titleOf(agent)).join(", ");
  return present({
    name,
    description: description === undefined ? `A mode of ${whose}.` : `${whose}: ${description}`,
    mode: "primary",
    native: false,
    hidden: owners.every(({ agent, mode }) => mode.hidden || !used.includes(agent.name)) || undefined,
    model: only && { providerID: only.name, modelID: defaultModelOf(only.discovery) },
    permission: MAY_ASK,
    options: {},
  });
}

/** The sub-agents of the agents that work in the directory: clients offer them behind an @, and no session works as one. */
function subagentInfos(agents: readonly KnownAgent[], used: readonly string[], modes: readonly ModeInfo[]): ModeInfo[] {
  const taken = new Set(modes.map(({ name }) => name));
  const there = agents.filter(({ name }) => used.includes(name));
  const all = there.flatMap(({ discovery }) => discovery.subagents ?? []).filter(({ name }) => !taken.has(name));
  const unique = new Map(all.map((one) => [one.name, one]));
  return [...unique.values()].map(({ name, description }) => ({
    ...present({ name, description }),
    mode: "subagent",
    native: false,
    permission: MAY_ASK,
    options: {},
  }));
}

/** `build` and `plan`, then what else the agents that can be used have. Modes of agents that do not work in the directory are hidden: they are not offered, but can be named. */
export function modeInfos(agents: readonly KnownAgent[], used: readonly string[]): ModeInfo[] {
  const connected = agents.filter(({ discovery }) => isConnected(discovery));
  const owned = connected.flatMap((agent): Owned[] => {
    const { modes } = agent.discovery;
    const further = modes.filter(({ id }) => id !== buildModeOf(modes) && id !== PLAN);
    return further.map((mode) => ({ agent, mode }));
  });
  const others = Map.groupBy(owned, ({ mode }) => mode.id);
  const modes = [...BUILT_IN, ...[...others].map(([name, owners]) => infoOf(name, owners, used))];
  return [...modes, ...subagentInfos(connected, used, modes)];
}

/** The same for the newer half of the API. */
export function newerModeInfo({ name, description, mode, hidden = false, model, permission }: ModeInfo): object {
  const newer = model && { providerID: model.providerID, id: model.modelID };
  return {
    ...present({ id: name, description, mode, hidden, model: newer }),
    request: { headers: {}, body: {} },
    permissions: permission.map((one) => ({ action: one.permission, resource: one.pattern, effect: one.action })),
  };
}
