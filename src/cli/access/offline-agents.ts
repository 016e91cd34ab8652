import { join } from "node:path";
import type { AgentInfo } from "../../client/index.ts";
import { capabilitiesOf } from "../../gateway/capabilities.ts";
import { createProcessHost } from "../../host/process-host.ts";
import { buildAgents, DEFAULT_AGENT } from "../../server/agents.ts";
import type { Settings } from "../config/settings.ts";

/** The agents that a server would have, without one. Nothing is started. */
export async function offlineAgents(settings: Settings): Promise<AgentInfo[]> {
  const { dataDir, defaultAgent = DEFAULT_AGENT } = settings;
  const host = createProcessHost({ runDirectory: join(dataDir, "run"), instance: "", log: () => {} });
  const built = [...buildAgents(settings, host, dataDir).values()];
  return Promise.all(
    built.map(async (agent) => ({
      name: agent.name,
      default: agent.name === defaultAgent,
      capabilities: capabilitiesOf(agent),
      ...(await agent.discover()),
    })),
  );
}
