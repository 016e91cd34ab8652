import { type BinarySearch, findAgentBinary } from "../../install/find.ts";
import { agentsDirectory } from "../../install/layout.ts";

export interface Place {
  /** Parley's data directory, in which it installs agents. */
  dataDirectory: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Where Codex is, or why there is none. */
export function findCodex({ dataDirectory, env }: Place): Promise<BinarySearch> {
  return findAgentBinary("codex", { agents: agentsDirectory(dataDirectory), env });
}
