import type { AgentInfo } from "../../client/index.ts";
import type { Check } from "./check.ts";

function checkAgent(agent: AgentInfo): Check {
  const name = `agent ${agent.name}`;
  const role = agent.default ? ", default" : "";
  const facts = { installed: agent.installed, credentials: agent.credentials, default: agent.default };
  if (!agent.installed) {
    return { name, level: agent.default ? "bad" : "warn", detail: `not installed${role}`, advice: agent.detail, facts };
  }
  const detail = `${[agent.detail, agent.version].filter(Boolean).join(" ")} (credentials: ${agent.credentials}${role})`;
  if (agent.credentials !== "missing") return { name, level: "ok", detail, facts };
  return { name, level: agent.default ? "bad" : "warn", detail, advice: "log in with the agent's own program", facts };
}

export function checkAgents(agents: readonly AgentInfo[], defaultAgent: string): Check[] {
  const checks = agents.map(checkAgent);
  if (agents.some(({ name }) => name === defaultAgent)) return checks;
  const have = agents.map(({ name }) => name).join(", ");
  const advice = `choose one of ${have} with --agent, PARLEY_AGENT or "defaultAgent"`;
  return [...checks, { name: `agent ${defaultAgent}`, level: "bad", detail: "the default agent is unknown", advice }];
}
