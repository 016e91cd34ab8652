import type { AgentInfo } from "../../client/index.ts";
import { withStore } from "../access/open-store.ts";
import { configure } from "../context.ts";
import type { CommonFlags } from "../options.ts";
import { safeLine } from "../output/safe-text.ts";
import { type Column, table } from "../output/table.ts";

const COLUMNS: Column[] = [
  ...["NAME", "INSTALLED", "CREDENTIALS"],
  ...["MODELS", "MODES", "PROGRAM"].map((name) => ({ name, cut: "end" }) as const),
];
/** The table cuts what a terminal has no room for. */
const LONGEST = 1_000;

function rowOf(agent: AgentInfo): string[] {
  const ids = (list: readonly { id: string }[]): string => safeLine(list.map(({ id }) => id).join(","), LONGEST) || "-";
  return [
    safeLine(agent.name) + (agent.default ? " (default)" : ""),
    agent.installed ? (agent.version ?? "yes") : "no",
    agent.credentials.replace("_", " "),
    ids(agent.models),
    ids(agent.modes.filter(({ hidden }) => !hidden)),
    safeLine(agent.detail ?? "", LONGEST),
  ];
}

export async function listAgents({ dataDir, json }: CommonFlags): Promise<string> {
  const { settings } = await configure({ dataDir });
  const agents = await withStore(settings, (store) => store.agents());
  return json ? `${JSON.stringify(agents)}\n` : table(COLUMNS, agents.map(rowOf));
}
