import { z } from "zod";
import type { McpServer } from "../../../agents/contract.ts";
import { present } from "../../../core/json/fields.ts";
import { parseJsonc, smallFileInside } from "../../../host/files/jsonc-file.ts";

const texts = z.record(z.string(), z.string());
const common = { enabled: z.boolean().optional(), timeout: z.number().int().positive().optional() };

const local = z.object({
  type: z.literal("local"),
  command: z.array(z.string()),
  cwd: z.string().optional(),
  environment: texts.optional(),
  ...common,
});

const remote = z.object({
  type: z.literal("remote"),
  url: z.string(),
  headers: texts.optional(),
  oauth: z.union([z.literal(false), z.record(z.string(), z.unknown())]).optional(),
  ...common,
});

export const mcpConfig = z.discriminatedUnion("type", [local, remote]);

/** An MCP server as OpenCode's configuration has it. */
export type McpConfig = z.output<typeof mcpConfig>;

/** Begins a program in another directory than the session's. */
const ELSEWHERE = 'cd -- "$1" && shift && exec "$@"';

/** The server in Parley's words. */
export function serverOf(name: string, config: McpConfig): McpServer {
  if (config.type === "remote") {
    const { url, headers } = config;
    return { name, type: "http", url, ...present({ headers }) };
  }
  const { command: words, cwd, environment: env } = config;
  const [command = "", ...args] = cwd === undefined ? words : ["/bin/sh", "-c", ELSEWHERE, "sh", cwd, ...words];
  return { name, type: "stdio", command, args, ...present({ env }) };
}

const FILES = ["opencode.json", "opencode.jsonc"];
const project = z.object({ mcp: z.record(z.string(), mcpConfig.nullish().catch(undefined)) });

/** The servers that a project's own configuration names. */
export async function projectServers(directory: string): Promise<Map<string, McpConfig>> {
  const found = new Map<string, McpConfig>();
  for (const file of FILES) {
    const text = await smallFileInside(directory, file);
    const { data } = project.safeParse(text === undefined ? undefined : (await parseJsonc(text)).value);
    for (const [name, config] of Object.entries(data?.mcp ?? {})) if (config) found.set(name, config);
  }
  return found;
}
