import type { McpServer } from "../../contract.ts";
import { Api } from "../api.ts";
import type { RunningServer, ServerNeed } from "./contract.ts";

/** The program first gets ready for the directory, for which it may install what plugins need. It gives up a server of tools by itself that does not answer. */
const LIMIT_MS = 60_000;

/** A server of tools as OpenCode describes one. */
export function mcpEntry(server: McpServer): object {
  if (server.type === "stdio") {
    const { command, args = [], env: environment = {} } = server;
    return { type: "local", command: [command, ...args], environment, enabled: true };
  }
  const { url, headers = {} } = server;
  return { type: "remote", url, headers, enabled: true };
}

/**
 * Gives a server of the program the servers of tools that a client gave. They are sent and not written to its environment, which the agent's commands have too: they
 * may hold secrets. One that cannot be reached is left to the program, as one of the user's own would be.
 */
export async function giveMcpServers(
  server: RunningServer,
  { directory, mcpServers = [] }: Pick<ServerNeed, "directory" | "mcpServers">,
): Promise<void> {
  const api = new Api(server, directory);
  const give = (one: McpServer): Promise<unknown> =>
    api.ask("POST", "/mcp", { body: { name: one.name, config: mcpEntry(one) }, limitMs: LIMIT_MS });
  await Promise.all(mcpServers.map((one) => give(one).catch(() => {})));
}
