import type { Agent, McpServer } from "../agents/contract.ts";

export interface Capabilities {
  fork: boolean;
  rewind: boolean;
  compact: boolean;
  /** It lists its own earlier sessions, and goes on with one of them. */
  sessions: boolean;
  /** The kinds of MCP servers that it takes. */
  mcp: McpServer["type"][];
}

/** The abilities of an agent that not every one has, as clients read them. */
export function capabilitiesOf({
  capabilities = {},
  sessions,
}: Pick<Agent, "capabilities" | "sessions">): Capabilities {
  const { fork = false, rewind = false, compact, mcp = [] } = capabilities;
  return {
    fork: fork !== false,
    rewind: rewind !== false,
    compact: compact !== undefined,
    sessions: sessions !== undefined,
    mcp: [...mcp],
  };
}
