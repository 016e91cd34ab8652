import type { AgentInfo } from "../../client/index.ts";
import { withStore } from "../access/open-store.ts";
import { configure } from "../context.ts";
import type { CommonFlags } from "../options.ts";
import { safeLine } from "../output/safe-text.ts";
import { table } from "../output/table.ts";

const HEAD = ["NAME", "INSTALLED", "CREDENTIALS", "MODELS", "MODES", "PROGRAM"];

function rowOf(agent: AgentInfo): string[] {
  const ids = (list: readonly { id: string }[]): string => safeLine(list.map(({ id }) => id).join(","), 40) || "-";
  return [
    safeLine(agent.name) + (agent.default ? " (default)" : ""),
    agent.installed ? (agent.version ?? "yes") : "no",
    agent.credentials,
    ids(agent.models),
    ids(agent.modes),
    safeLine(agent.detail ?? ""),
  ];
}

export async function listAgents({ dataDir, json }: CommonFlags): Promise<string> {
  const { settings } = await configure({ dataDir });
  const agents = await withStore(settings, (store) => store.agents());
  return json ? `${JSON.stringify(agents)}\n` : table(HEAD, agents.map(rowOf));
}
