import { z } from "zod";
import { LINE_PROTOCOL_ABILITIES } from "../../agents/line-protocol/launch.ts";
import { LOG_LEVELS } from "../../server/logging/log-line.ts";
import { SYNC, UNATTENDED } from "./choices.ts";
import { DURATION, DURATION_PHRASE, parseDuration } from "./duration.ts";

// The text of each error is what was expected: the reader of the file adds where, and what it got.

const PORT = "a port from 0 to 65535";
const COUNT = "a whole number, 0 or more";
const NAME = "a name of letters, digits, -, _, . or :";

const duration = z
  .string({ error: DURATION_PHRASE })
  .regex(DURATION, { error: DURATION_PHRASE })
  .refine((value) => !DURATION.test(value) || parseDuration(value) !== undefined, { error: DURATION_PHRASE });

const agentName = z.string().regex(/^[\w.:-]{1,64}$/, { error: NAME });

const price = z
  .strictObject({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number().optional(),
    cacheWrite: z.number().optional(),
  })
  .describe("US dollars for a million tokens");

const model = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  context: z.number().optional().describe("tokens that fit into its context"),
  output: z.number().optional().describe("tokens that one answer can have"),
  price: price.optional(),
  reasoning: z.boolean().optional().describe("it can think before it answers"),
  images: z.boolean().optional().describe("it takes pictures"),
  released: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'a day such as "2026-08-27"' })
    .optional()
    .describe("the day it came out"),
});

const mode = z.strictObject({ id: z.string(), name: z.string().optional(), description: z.string().optional() });

const option = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  kind: z.enum(["select", "boolean"]),
  values: z.array(mode).optional().describe("of a select: all that it can be"),
  default: z.union([z.string(), z.boolean()]).optional(),
});

const agent = z.strictObject({
  command: z
    .tuple([z.string().min(1, { error: "a program" })], z.string())
    .describe("a program that speaks the line protocol, and its arguments; a relative path starts at this file"),
  env: z.record(z.string(), z.string()).optional().describe("added to Parley's environment"),
  models: z.array(model).optional(),
  modes: z.array(mode).optional(),
  options: z.array(option).optional().describe("choices beside model and mode, such as effort"),
  steer: z.boolean().optional().describe("it takes prompts into a running turn"),
  can: z
    .array(z.enum(LINE_PROTOCOL_ABILITIES))
    .optional()
    .describe("requests of the line protocol that it answers, and mcp: it takes MCP servers"),
});

const endpoint = z.strictObject({
  url: z.url({ error: "an address such as http://127.0.0.1:11434/v1" }),
  format: z
    .enum(["chat", "responses", "messages"])
    .optional()
    .describe("OpenAI's chat completions (the default) or responses, or Anthropic's messages"),
  keyVariable: z.string().optional().describe("the environment variable that holds its key, if it wants one"),
  models: z.array(model).min(1, { error: "at least one model" }),
});

const endpointName = z.string().regex(/^(?!(?:anthropic|openai|scripted)$)[\w.-]{1,64}$/, {
  error: `${NAME}, but not anthropic, openai or scripted`,
});

const house = z.strictObject({
  model: z.string().optional().describe("the model of a session that names none, such as anthropic/claude-haiku-4-5"),
  models: z.array(model).optional().describe("further models of Anthropic or OpenAI, or more about known ones"),
  endpoints: z.record(endpointName, endpoint).optional().describe("further servers of models, by name"),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  host: z.string().optional().describe("the address to listen on; 127.0.0.1 by default"),
  port: z
    .int({ error: PORT })
    .min(0, { error: PORT })
    .max(65_535, { error: PORT })
    .optional()
    .describe("0: any free one"),
  dataDir: z.string().optional().describe("where sessions are kept; a relative path starts at this file"),
  token: z.string().optional().describe("in the user's file only; better leave it out and have one made"),
  defaultAgent: agentName.optional().describe("the agent of a session that names none"),
  agents: z.record(agentName, agent).optional().describe("further agents, by name"),
  house: house.optional().describe("the models of Parley's own agent"),
  roots: z
    .array(z.string().min(1, { error: "a directory" }))
    .min(1, { error: 'at least one directory; "/" allows all' })
    .optional()
    .describe("directories that sessions, files and terminals are limited to; a relative path starts at this file"),
  unattended: z.enum(UNATTENDED).optional().describe("what happens to a permission while no client is attached"),
  askDeadline: duration.optional().describe("how long an ask waits for a client to come; 30m by default"),
  idleClose: duration.optional().describe("how long an agent without work is kept; 10m by default"),
  idleAgents: z
    .int({ error: COUNT })
    .min(0, { error: COUNT })
    .optional()
    .describe("how many agents without work are kept at most; 8 by default"),
  retainEvents: z
    .int({ error: COUNT })
    .min(0, { error: COUNT })
    .optional()
    .describe("how many events of a session are kept at least; 0 keeps all"),
  sync: z.enum(SYNC).optional().describe("process: survives kill -9; disk: survives the loss of power too"),
  allowHosts: z.array(z.string()).optional().describe("further names under which clients may call this server"),
  cors: z.array(z.string()).optional().describe("origins of web pages that may call this server"),
  keepNative: z.boolean().optional().describe("store the agents' own lines beside the events; true by default"),
  logLevel: z.enum(LOG_LEVELS as ["debug", "info", "warn", "error"]).optional(),
  trust: z
    .array(z.string())
    .optional()
    .describe(
      "in the user's file only: directories whose projects may run code, by parley.jsonc and by the agents' own settings; parley trust adds to them",
    ),
});

export type ConfigFile = z.infer<typeof configSchema>;

/** For editors. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: "input" });
  return { $schema, title: "Parley's configuration", ...schema };
}
