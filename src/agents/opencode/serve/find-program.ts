import { type BinarySearch, findAgentBinary } from "../../../install/find.ts";
import { agentsDirectory } from "../../../install/layout.ts";

export interface Place {
  /** Parley's data directory, in which it installs agents. */
  dataDirectory: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Where OpenCode is, or why there is none. */
export function findOpenCode({ dataDirectory, env }: Place): Promise<BinarySearch> {
  return findAgentBinary("opencode", { agents: agentsDirectory(dataDirectory), env });
}
