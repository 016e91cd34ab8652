import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KeptServer, McpStore } from "../gateway/mcp-servers.ts";

const SUFFIX = ".json";

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** MCP servers of sessions as files of the data directory that only the user can read: one for each session that has any. */
export function mcpStore(dataDirectory: string): McpStore {
  const folder = join(dataDirectory, "mcp");
  const fileOf = (session: string): string => join(folder, `${session}${SUFFIX}`);
  return {
    async keep(session, servers) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(session);
      await writeFile(`${file}.new`, JSON.stringify(servers), { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
    async read(session) {
      try {
        return JSON.parse(await readFile(fileOf(session), "utf8")) as KeptServer[];
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    forget: (session) => rm(fileOf(session), { force: true }),
    async list() {
      try {
        const names = await readdir(folder);
        return names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
  };
}
