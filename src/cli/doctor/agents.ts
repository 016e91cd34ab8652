import type { AgentInfo } from "../../client/index.ts";
import { present } from "../../core/json/fields.ts";
import { INSTALLABLE_NAMES, testedVersions } from "../../install/catalog.ts";
import type { NamedAgents } from "../../server/named-agents.ts";
import { furtherAgents } from "../sessions/agents.ts";
import type { Check } from "./check.ts";

/** The tested versions of an agent whose program is of another one; undefined where nothing is tested by version. */
function untested({ name, version }: AgentInfo): string[] | undefined {
  const known = INSTALLABLE_NAMES.find((one) => one === name);
  const tested = known && testedVersions(known);
  return version === undefined || tested?.includes(version) ? undefined : tested;
}

/** An installed agent whose credentials are not known has not answered. */
function doesAnswer({ installed, credentials }: AgentInfo): boolean {
  return !installed || credentials !== "unknown";
}

function adviceFor(agent: AgentInfo, tested: string[] | undefined): string | undefined {
  // An agent without a model has told in its detail why it has none.
  const loggedOut = agent.credentials === "missing" && agent.models.length > 0;
  const login = loggedOut ? ["log in with the agent's own program"] : [];
  const strange = tested && `Parley was never tested with this version, but with ${tested.join(" and ")}`;
  const program = agent.detail?.split(";", 1)[0];
  const mute = doesAnswer(agent) ? [] : [`run ${program ?? "its program"} by itself to see what is wrong`];
  const other = strange ? [`${strange}: if something is odd, run "parley install ${agent.name}"`] : [];
  return [...login, ...mute, ...other].join("; ") || undefined;
}

function checkAgent(agent: AgentInfo): Check {
  const name = `agent ${agent.name}`;
  const { installed, version, credentials } = agent;
  const role = agent.default ? ", default" : "";
  const tested = untested(agent);
  const facts = present({ installed, version, untested: tested && true, credentials, default: agent.default });
  const unusable = agent.default ? "bad" : "warn";
  if (!installed) return { name, level: unusable, detail: `not installed${role}`, advice: agent.detail, facts };
  const detail = `${[agent.detail, version].filter(Boolean).join(" ")} (credentials: ${credentials}${role})`;
  const advice = adviceFor(agent, tested);
  const level = credentials === "missing" || !doesAnswer(agent) ? unusable : advice === undefined ? "ok" : "warn";
  return present({ name, level, detail, advice, facts });
}

export function checkAgents(agents: readonly AgentInfo[], defaultAgent: string): Check[] {
  const checks = agents.map(checkAgent);
  if (agents.some(({ name }) => name === defaultAgent)) return checks;
  const have = agents.map(({ name }) => name).join(", ");
  const advice = `choose one of ${have} with --agent, PARLEY_AGENT or "defaultAgent"`;
  return [...checks, { name: `agent ${defaultAgent}`, level: "bad", detail: "the default agent is unknown", advice }];
}

/** Agents that could be there: nothing is wrong without them. */
export function checkKnown(agents: Pick<NamedAgents, "further">): Check {
  return { name: "agents", level: "ok", detail: furtherAgents(agents), facts: { further: agents.further() } };
}
