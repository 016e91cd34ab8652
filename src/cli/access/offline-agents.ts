import { join } from "node:path";
import type { AgentInfo } from "../../client/index.ts";
import { createProcessHost } from "../../host/process-host.ts";
import { buildAgents } from "../../server/agents.ts";
import type { Settings } from "../config/settings.ts";

export const FALLBACK_AGENT = "scripted";

/** The agents that a server would have, without one. Nothing is started. */
export async function offlineAgents({
  agents,
  dataDir,
  defaultAgent = FALLBACK_AGENT,
}: Settings): Promise<AgentInfo[]> {
  const host = createProcessHost({ runDirectory: join(dataDir, "run"), instance: "", log: () => {} });
  const built = [...buildAgents(agents, host, dataDir).values()];
  return Promise.all(
    built.map(async (agent) => ({
      name: agent.name,
      default: agent.name === defaultAgent,
      ...(await agent.discover()),
    })),
  );
}
