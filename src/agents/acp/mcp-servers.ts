import type { Fields } from "../../core/json/fields.ts";
import type { McpServer } from "../contract.ts";
import type { Peer } from "./handshake.ts";

const pairs = (values: Readonly<Record<string, string>> = {}): Fields[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** The servers of a client as the program takes them. Throws where it does not take one of their kinds. */
export function mcpParams(servers: readonly McpServer[], { mcp }: Pick<Peer, "mcp">): Fields[] {
  return servers.map((server) => {
    const { name, type } = server;
    if (type === "stdio") {
      const { command, args = [], env } = server;
      return { name, command, args, env: pairs(env) };
    }
    if (!mcp[type])
      throw new Error(
        `it takes no MCP servers of the type ${type}, as ${name} is: leave that out, or use another agent`,
      );
    return { type, name, url: server.url, headers: pairs(server.headers) };
  });
}
