import { join } from "node:path";
import { ProjectTrust } from "../../gateway/trust/project-trust.ts";
import { Roots } from "../../host/files/roots.ts";
import { createProcessHost } from "../../host/process-host.ts";
import { buildAgents } from "../../server/agents.ts";
import { TrustStore } from "../../server/trust/trust-store.ts";
import type { Settings } from "../config/settings.ts";

/** The user's trust, without a server. Agents only look at files for it: none is started. */
export function offlineTrust(settings: Settings): ProjectTrust {
  const { dataDir, trust } = settings;
  const host = createProcessHost({ runDirectory: join(dataDir, "run"), instance: "", log: () => {} });
  return new ProjectTrust({
    trust: new TrustStore(trust),
    agents: buildAgents(settings, host, dataDir),
    roots: new Roots(),
  });
}
