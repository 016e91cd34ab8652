import type { Agent, McpServer } from "../agents/contract.ts";
import { ParleyError } from "../core/errors.ts";
import type { Log } from "../log/contract.ts";

/** A server of a session; `ofProject`: a file of the project names it, so that it is begun only while the project is trusted. */
export type KeptServer = McpServer & { ofProject?: boolean };

/** Keeps the MCP servers of sessions, which may hold secrets, apart from the log. */
export interface McpStore {
  keep(session: string, servers: readonly KeptServer[]): Promise<void>;
  /** Undefined when nothing is kept for the session. */
  read(session: string): Promise<KeptServer[] | undefined>;
  forget(session: string): Promise<void>;
  /** The sessions for which something is kept. */
  list(): Promise<string[]>;
}

/** A crash between the servers of a session and its first event leaves secrets that nobody needs. */
export async function forgetStrays({ mcp, log }: { mcp: McpStore; log: Log }): Promise<void> {
  for (const id of await mcp.list()) if (!(await log.head(id))) await mcp.forget(id);
}

/**
 * An agent that does not take such servers would work without them: the session is refused. A program that has not said yet whether it takes them is asked;
 * where it cannot be, the session begins, and the agent tells what it works without.
 */
export async function assertServers(
  agent: Agent,
  servers: readonly Pick<McpServer, "name" | "type">[],
  discover: () => Promise<unknown>,
): Promise<void> {
  const unsure = agent.capabilities?.mcpUnsure ?? [];
  if (servers.some(({ type }) => unsure.includes(type))) await discover();
  const takes = agent.capabilities?.mcp ?? [];
  const odd = servers.find(({ type }) => !takes.includes(type));
  if (odd) {
    const have = takes.length === 0 ? "it takes none" : `it takes: ${takes.join(", ")}`;
    throw new ParleyError("unsupported", `agent ${agent.name} takes no MCP server of type ${odd.type}; ${have}`);
  }
  const twice = servers.find((one, at) => servers.findIndex((other) => other.name === one.name) !== at);
  if (twice) throw new ParleyError("invalid", `expected MCP servers of different names, got ${twice.name} twice`);
}

/** The facts of servers that anybody may read. */
export function shownServers(servers: readonly McpServer[]): { name: string; type: McpServer["type"] }[] {
  return servers.map(({ name, type }) => ({ name, type }));
}
