import { type Fields, present } from "../../core/json/fields.ts";
import type { McpServer, OpenOptions } from "../contract.ts";
import { effortIn } from "../effort.ts";
import type { Opening } from "./resumption.ts";

const SERVER_NAME = /^[A-Za-z0-9_-]+$/;

function serverConfig(server: McpServer): Fields {
  if (server.type === "stdio") {
    const { command, args, env } = server;
    return present({ command, args, env });
  }
  const { url, headers } = server;
  return present({ url, http_headers: headers });
}

/** The client's servers, each beside the user's own. They are written to the program's input, so nobody else on the machine sees them. */
export function serversConfig(servers: readonly McpServer[] = []): Fields {
  const entries = servers.map((server) => {
    if (!SERVER_NAME.test(server.name))
      throw new Error(`Codex takes names of MCP servers with letters, digits, _ and - only: ${server.name} is none`);
    return [`mcp_servers.${server.name}`, serverConfig(server)];
  });
  return Object.fromEntries(entries);
}

/** The request that opens a session's thread. Its policy is given with each turn. */
export function threadParams(opening: Opening, open: OpenOptions, config: Fields): Fields {
  const { directory, model, options, mcpServers } = open;
  const effort = effortIn(options);
  const overrides = { ...serversConfig(mcpServers), ...config, ...present({ model_reasoning_effort: effort }) };
  const common = { cwd: directory, ...present({ model }), config: overrides };
  switch (opening.method) {
    case "thread/start":
      return common;
    case "thread/resume":
      return { ...common, threadId: opening.thread, excludeTurns: true };
    case "thread/fork":
      return { ...common, threadId: opening.thread, lastTurnId: opening.turn, excludeTurns: true };
  }
}
