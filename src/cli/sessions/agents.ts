import { findKnown } from "../../agents/acp/known/find.ts";
import { KNOWN, waysTo } from "../../agents/acp/known/known.ts";
import type { AgentInfo } from "../../client/index.ts";
import type { NamedAgents } from "../../server/named-agents.ts";
import { agentsOf } from "../access/offline-agents.ts";
import { withStore } from "../access/open-store.ts";
import { configure } from "../context.ts";
import type { CommonFlags } from "../options.ts";
import { safeLine } from "../output/safe-text.ts";
import { type Column, table } from "../output/table.ts";
import { tell } from "../tell.ts";

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
    agent.installed ? safeLine(agent.version ?? "yes") : "no",
    agent.credentials.replace("_", " "),
    ids(agent.models),
    ids(agent.modes.filter(({ hidden }) => !hidden)),
    safeLine(agent.detail ?? "", LONGEST),
  ];
}

export async function listAgents({ dataDir, json }: CommonFlags): Promise<string> {
  const { settings } = await configure({ dataDir });
  const agents = await withStore(settings, (store) => store.agents());
  if (json) return `${JSON.stringify(agents)}\n`;
  tell(furtherAgents(agentsOf(settings)));
  return table(COLUMNS, agents.map(rowOf));
}

/** How many more agents there would be, and where they are. */
export function furtherAgents(agents: Pick<NamedAgents, "further">): string {
  return `${agents.further().length} more ACP agents are known and not listed here: "parley agents --all" lists them`;
}

/** The ACP agents that Parley knows by name, installed or not. Nothing is started. */
export async function listKnown({ dataDir, json }: CommonFlags): Promise<string> {
  const { settings } = await configure({ dataDir });
  const known = KNOWN.map((entry) => {
    const { name, title, aliases = [], npm } = entry;
    const found = findKnown(entry, { dataDirectory: settings.dataDir, env: process.env });
    const pinned = npm && `${npm.package}@${npm.version}`;
    const program = "missing" in found ? undefined : found.argv.join(" ");
    return { name, title, aliases, package: pinned, program, get: waysTo(entry) };
  });
  if (json) return `${JSON.stringify(known)}\n`;
  return table(
    ["NAME", "AGENT", "INSTALLED", { name: "PROGRAM, OR HOW TO GET IT", cut: "end" }],
    known.map(({ name, title, program, get }) => [name, title, program ? "yes" : "no", program ?? get]),
  );
}
