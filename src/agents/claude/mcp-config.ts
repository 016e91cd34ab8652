import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenOptions } from "../contract.ts";

const folderIn = (dataDirectory: string): string => join(dataDirectory, "claude-mcp");

/** Removes the files that a crash of Parley left. The server of a data directory is the only one that writes there. */
export function forgetMcpConfigs(dataDirectory: string): void {
  rmSync(folderIn(dataDirectory), { recursive: true, force: true });
}

/** The MCP servers of a session as a file of the program: every user of the machine could read them in its arguments. Undefined where there are none. */
export function writeMcpConfig(dataDirectory: string, { session, mcpServers = [] }: OpenOptions): string | undefined {
  if (mcpServers.length === 0) return undefined;
  const folder = folderIn(dataDirectory);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${session}.json`);
  // A file that is there already would keep its own mode.
  rmSync(file, { force: true });
  const servers = Object.fromEntries(mcpServers.map(({ name, ...server }) => [name, server]));
  writeFileSync(file, JSON.stringify({ mcpServers: servers }), { mode: 0o600, flag: "wx" });
  return file;
}
