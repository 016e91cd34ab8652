import type { Fields } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import type { McpServer } from "../contract.ts";
import type { Peer } from "./handshake.ts";

const pairs = (values: Readonly<Record<string, string>> = {}): Fields[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

function paramOf(server: McpServer): Fields {
  const { name, type } = server;
  if (type !== "stdio") return { type, name, url: server.url, headers: pairs(server.headers) };
  const { command, args = [], env } = server;
  return { name, command, args, env: pairs(env) };
}

/** The servers of a client as the program takes them. `leftOut` are those of a kind that it does not take. */
export function mcpParams(
  servers: readonly McpServer[],
  { mcp }: Pick<Peer, "mcp">,
): { params: Fields[]; leftOut: McpServer[] } {
  const takes = ({ type }: McpServer): boolean => mcp.includes(type);
  return { params: servers.filter(takes).map(paramOf), leftOut: servers.filter((server) => !takes(server)) };
}

/** Says that the program works without servers that the session has. */
export function leftOutNote(leftOut: readonly McpServer[]): Signal[] {
  if (leftOut.length === 0) return [];
  const names = leftOut.map(({ name, type }) => `${name} (${type})`).join(", ");
  const text = `the agent was started without MCP servers of a kind that it does not take: ${names}`;
  return [{ type: "note", level: "warn", code: "mcp_left_out", text }];
}
