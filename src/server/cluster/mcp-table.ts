import type { Sql } from "../../cluster/sql.ts";
import type { KeptServer, McpStore } from "../../gateway/mcp-servers.ts";

/** MCP servers of sessions in the database, so that any node of their place can begin them. They may hold secrets: no API tells them. */
export function mcpTable(sql: Sql): McpStore {
  return {
    async keep(session, servers) {
      await sql.change(
        "INSERT INTO mcp (session, servers) VALUES ($1, $2) ON CONFLICT (session) DO UPDATE SET servers = EXCLUDED.servers",
        [session, JSON.stringify(servers)],
      );
    },
    async read(session) {
      const [row] = await sql.query<{ servers: string }>("SELECT servers FROM mcp WHERE session = $1", [session]);
      return row && (JSON.parse(row.servers) as KeptServer[]);
    },
    async forget(session) {
      await sql.change("DELETE FROM mcp WHERE session = $1", [session]);
    },
    // Rows without a session are those of nodes that are making one, or that died at it: nobody can tell them apart.
    list: async () => [],
  };
}
