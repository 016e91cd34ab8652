import { isAbsolute } from "node:path";
import type { McpServer as AcpServer } from "@agentclientprotocol/sdk/unstable";
import type { McpServer } from "../../../client/index.ts";
import { freeName } from "../../../core/free-name.ts";
import { invalidParams } from "../errors.ts";

export interface NewRequest {
  cwd: string;
  mcpServers?: readonly AcpServer[] | undefined;
  additionalDirectories?: readonly string[] | undefined;
  _meta?: { [key: string]: unknown } | null | undefined;
}

/** So long may the name of a server be, with the number that makes it differ from others. */
const NAME_CHARS = 64;
const NUMBER_CHARS = 4;

/** Names of letters, digits, `-`, `_` and `.` that differ: clients name their servers for people. */
export function serverNames(given: readonly string[]): string[] {
  const names: string[] = [];
  for (const name of given) {
    const plain = name.replaceAll(/[^\w.-]+/g, "_").slice(0, NAME_CHARS) || "_";
    const isTaken = (one: string): boolean => names.includes(one);
    names.push(isTaken(plain) ? freeName(plain.slice(0, NAME_CHARS - NUMBER_CHARS), isTaken) : plain);
  }
  return names;
}

/** The servers of tools as Parley knows them. */
export function mcpServers(servers: readonly AcpServer[]): McpServer[] {
  const names = serverNames(servers.map(({ name }) => name));
  return servers.map((server, at): McpServer => {
    const name = names[at] ?? server.name;
    if (!("type" in server)) {
      const { command, args, env } = server;
      return { name, type: "stdio", command, args, env: Object.fromEntries(env.map((one) => [one.name, one.value])) };
    }
    if (server.type === "acp")
      throw invalidParams(
        `expected MCP server ${server.name} by stdio, http or sse, got one over ACP, which no agent here has`,
      );
    const { type, url, headers } = server;
    return { name, type, url, headers: Object.fromEntries(headers.map((one) => [one.name, one.value])) };
  });
}

/** Refuses a place in which no agent can work. */
export function assertPlace({ cwd, additionalDirectories }: NewRequest): void {
  if (!isAbsolute(cwd)) throw invalidParams(`expected cwd as an absolute path, got "${cwd}"`);
  if (additionalDirectories?.length)
    throw invalidParams("expected one directory, got additionalDirectories: an agent of Parley works in cwd alone");
}
