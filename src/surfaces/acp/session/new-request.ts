import { isAbsolute } from "node:path";
import type { McpServer as AcpServer } from "@agentclientprotocol/sdk/unstable";
import type { McpServer } from "../../../client/index.ts";
import { invalidParams } from "../errors.ts";

export interface NewRequest {
  cwd: string;
  mcpServers?: readonly AcpServer[] | undefined;
  additionalDirectories?: readonly string[] | undefined;
  _meta?: { [key: string]: unknown } | null | undefined;
}

/** The servers of tools as Parley knows them. */
export function mcpServers(servers: readonly AcpServer[]): McpServer[] {
  return servers.map((server): McpServer => {
    if (!("type" in server)) {
      const { name, command, args, env } = server;
      return { name, type: "stdio", command, args, env: Object.fromEntries(env.map((one) => [one.name, one.value])) };
    }
    if (server.type === "acp")
      throw invalidParams(
        `expected MCP server ${server.name} by stdio, http or sse, got one over ACP, which no agent here has`,
      );
    const { name, type, url, headers } = server;
    return { name, type, url, headers: Object.fromEntries(headers.map((one) => [one.name, one.value])) };
  });
}

/** Refuses a place in which no agent can work. */
export function assertPlace({ cwd, additionalDirectories }: NewRequest): void {
  if (!isAbsolute(cwd)) throw invalidParams(`expected cwd as an absolute path, got "${cwd}"`);
  if (additionalDirectories?.length)
    throw invalidParams("expected one directory, got additionalDirectories: an agent of Parley works in cwd alone");
}
