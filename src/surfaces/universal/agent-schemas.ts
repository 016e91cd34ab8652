import { z } from "zod";
import { agentOption } from "../../core/events/values.ts";

const serverName = z.string().regex(/^[\w.-]{1,64}$/, "expected a name of letters, digits, -, _ or .");

export const mcpServer = z
  .union([
    z.strictObject({
      name: serverName,
      type: z.literal("stdio"),
      command: z.string().min(1),
      args: z.array(z.string()).optional(),
      env: z.record(z.string(), z.string()).optional(),
    }),
    z.strictObject({
      name: serverName,
      type: z.enum(["http", "sse"]),
      url: z.url(),
      headers: z.record(z.string(), z.string()).optional(),
    }),
  ])
  .meta({ id: "McpServer" });

export const agent = z
  .looseObject({
    name: z.string(),
    default: z.boolean(),
    installed: z.boolean(),
    version: z.string().optional(),
    detail: z.string().optional(),
    credentials: z.enum(["found", "missing", "not_needed", "unknown"]),
    models: z.array(
      z.looseObject({
        id: z.string(),
        name: z.string().optional(),
        options: z.array(agentOption).optional().describe("in place of the agent's own of the same id"),
      }),
    ),
    otherModels: z.boolean().optional().describe("it takes models that are not listed, too"),
    modes: z.array(z.looseObject({ id: z.string(), name: z.string().optional() })),
    options: z.array(agentOption).optional().describe("choices beside model and mode"),
    commands: z
      .array(z.looseObject({ name: z.string(), description: z.string().optional(), hint: z.string().optional() }))
      .optional()
      .describe("called in a prompt by a slash and the name"),
    capabilities: z
      .looseObject({
        fork: z.boolean(),
        rewind: z.boolean(),
        compact: z.boolean(),
        sessions: z.boolean().describe("it lists its own earlier sessions"),
        mcp: z.array(z.enum(["stdio", "http", "sse"])).describe("the kinds of MCP servers that it takes"),
      })
      .describe("what not every agent can do"),
  })
  .meta({ id: "Agent" });

export const agentQuery = z.object({
  directory: z.string().optional().describe("absolute path: what is known of the agent there"),
});

export const nativeSession = z
  .looseObject({
    id: z.string().describe("the agent's own id"),
    title: z.string().optional(),
    updated: z.number().optional().describe("epoch milliseconds"),
  })
  .meta({ id: "NativeSession" });
