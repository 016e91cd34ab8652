import type { AgentInfo } from "../../src/client/index.ts";
import type { AgentOption } from "../../src/core/events/values.ts";

/** Agents that a session can have: those that are installed, the default one first. */
export function usableAgents(agents: readonly AgentInfo[]): AgentInfo[] {
  return agents.filter(({ installed }) => installed).toSorted((a, b) => Number(b.default) - Number(a.default));
}

/** The agent that was named, else the default one. */
export function chosenAgent(agents: readonly AgentInfo[], name: string | undefined): AgentInfo | undefined {
  const usable = usableAgents(agents);
  return usable.find((agent) => agent.name === name) ?? usable[0];
}

/** The options of an agent with a model: the model's own count before the agent's. */
export function optionsFor({ options = [], models, defaultModel }: AgentInfo, model: string): AgentOption[] {
  const chosen = models.find(({ id }) => id === (model || defaultModel)) ?? (model === "" ? models[0] : undefined);
  const own = chosen?.options ?? [];
  return [...own, ...options.filter(({ id }) => !own.some((option) => option.id === id))];
}
