import { ProjectTrust } from "../../gateway/trust/project-trust.ts";
import { Roots } from "../../host/files/roots.ts";
import { TrustStore } from "../../server/trust/trust-store.ts";
import { agentsOf } from "../access/offline-agents.ts";
import type { Settings } from "../config/settings.ts";

/** The user's trust, without a server. Agents only look at files for it: none is started. */
export function offlineTrust(settings: Settings): ProjectTrust {
  return new ProjectTrust({ trust: new TrustStore(settings.trust), agents: agentsOf(settings), roots: new Roots() });
}
