import { join } from "node:path";
import type { AgentInfo } from "../../client/index.ts";
import { capabilitiesOf } from "../../gateway/capabilities.ts";
import { createProcessHost } from "../../host/process-host.ts";
import { buildAgents, chooseDefaultAgent } from "../../server/agents.ts";
import type { Settings } from "../config/settings.ts";

/** The agents that a server would have, without one. None is started. */
export function agentsOf(settings: Settings): ReturnType<typeof buildAgents> {
  const { dataDir } = settings;
  const host = createProcessHost({ runDirectory: join(dataDir, "run"), instance: "", log: () => {} });
  return buildAgents(settings, host, dataDir);
}

/** The same, for a list. Their programs are started to tell their versions, and end again. */
export async function offlineAgents(settings: Settings): Promise<AgentInfo[]> {
  const built = agentsOf(settings);
  const defaultAgent = await chooseDefaultAgent(built, settings.defaultAgent);
  try {
    return await Promise.all(
      [...built.values()].map(async (agent) => {
        // First: some programs say only when they are asked what they can do.
        const found = await agent.discover();
        return {
          name: agent.name,
          default: agent.name === defaultAgent,
          capabilities: capabilitiesOf(agent),
          ...found,
        };
      }),
    );
  } finally {
    await built.close();
  }
}
