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

const price = z.looseObject({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
});
const modalities = z.array(z.enum(["text", "image", "audio", "video", "pdf"]));

const agentModel = z
  .looseObject({
    id: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
    provider: z.string().optional().describe("the one that serves it, for an agent that has models of several"),
    family: z.string().optional(),
    context: z.number().optional().describe("tokens that fit into its context"),
    input: z.number().optional().describe("tokens that a prompt can have, where these are less"),
    output: z.number().optional().describe("tokens that one reply can have"),
    price: price
      .extend({
        tiers: z
          .array(price.extend({ above: z.number().describe("tokens of the prompt") }))
          .optional()
          .describe("other prices for long prompts"),
      })
      .optional()
      .describe("US dollars for a million tokens"),
    reasoning: z.boolean().optional().describe("it can think before it replies"),
    images: z.boolean().optional().describe("it takes pictures"),
    modalities: z
      .looseObject({ input: modalities, output: modalities })
      .optional()
      .describe("all that it takes and gives"),
    tools: z.boolean().optional().describe("it can call tools"),
    temperature: z.boolean().optional().describe("its temperature can be chosen"),
    attachments: z.boolean().optional().describe("it takes files with a prompt"),
    interleaved: z
      .union([z.boolean(), z.string()])
      .optional()
      .describe("it thinks between calls of tools; a text is the field in which it does"),
    status: z.enum(["alpha", "beta", "active", "deprecated"]).optional(),
    released: z.string().optional().describe("the day it came out, such as 2026-08-27"),
    options: z.array(agentOption).optional().describe("in place of the agent's own of the same id"),
  })
  .describe("what is not known of it is absent");

export const agent = z
  .looseObject({
    name: z.string(),
    default: z.boolean(),
    installed: z.boolean(),
    version: z.string().optional(),
    detail: z.string().optional(),
    credentials: z.enum(["found", "missing", "not_needed", "unknown"]),
    models: z.array(agentModel),
    defaultModel: z.string().optional().describe("the model of a session that names none, where it is not the first"),
    otherModels: z.boolean().optional().describe("it takes models that are not listed, too"),
    tellsMore: z
      .boolean()
      .optional()
      .describe("its sessions may tell later of more models, modes and commands: look again with `kept`"),
    modes: z.array(
      z.looseObject({
        id: z.string(),
        name: z.string().optional(),
        description: z.string().optional(),
        hidden: z.boolean().optional().describe("the agent uses it by itself"),
      }),
    ),
    subagents: z
      .array(z.looseObject({ name: z.string(), description: z.string().optional() }))
      .optional()
      .describe("agents to which it gives work, that a prompt may name"),
    options: z.array(agentOption).optional().describe("choices beside model and mode"),
    commands: z
      .array(
        z.looseObject({
          name: z.string(),
          description: z.string().optional(),
          hint: z.string().optional(),
          skill: z.boolean().optional().describe("the agent also uses it by itself"),
        }),
      )
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

export const oneAgentQuery = agentQuery.extend({
  kept: z
    .stringbool()
    .default(false)
    .describe("what is known, with what its sessions told since: its program is started only where nothing is known"),
});

export const nativeSession = z
  .looseObject({
    id: z.string().describe("the agent's own id"),
    title: z.string().optional(),
    updated: z.number().optional().describe("epoch milliseconds"),
  })
  .meta({ id: "NativeSession" });
