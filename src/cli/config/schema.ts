import { z } from "zod";
import { EFFORTS } from "../../agents/house/model/efforts.ts";
import { LINE_PROTOCOL_ABILITIES } from "../../agents/line-protocol/launch.ts";
import { DURATION, DURATION_PHRASE, parseDuration } from "./duration.ts";
import { address, count, type FileValues, port } from "./kinds.ts";
import { SETTINGS, type Setting, type Table } from "./table.ts";

// The text of each error is what was expected: the reader of the file adds where, and what it got.

const NAME = "a name of letters, digits, -, _, . or :";

function whole({ expected: error }: { expected: string }, most?: number): z.ZodType<number> {
  const number = z.int({ error }).min(0, { error });
  return most === undefined ? number : number.max(most, { error });
}

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
  output: z.number().optional().describe("tokens that one reply can have"),
  price: price.optional(),
  reasoning: z.boolean().optional().describe("it can think before it replies"),
  images: z.boolean().optional().describe("it takes pictures"),
  released: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'a day such as "2026-08-27"' })
    .optional()
    .describe("the day it came out"),
});

const houseModel = model.extend({
  efforts: z
    .array(z.enum(EFFORTS))
    .optional()
    .describe("how hard it can be told to think; low, medium and high for a model with reasoning unless told"),
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
    .describe(
      "requests of the line protocol that it answers; mcp: it takes MCP servers; rewind: it drops its last turns",
    ),
});

const endpoint = z.strictObject({
  url: z.url({ error: "an address such as http://127.0.0.1:11434/v1" }),
  format: z
    .enum(["chat", "responses", "messages"])
    .optional()
    .describe("OpenAI's chat completions (the default) or responses, or Anthropic's messages"),
  keyVariable: z.string().optional().describe("the environment variable that holds its key, if it wants one"),
  models: z.array(houseModel).min(1, { error: "at least one model" }),
});

const endpointName = z.string().regex(/^(?!(?:anthropic|openai|scripted)$)[\w.-]{1,64}$/, {
  error: `${NAME}, but not anthropic, openai or scripted`,
});

const house = z.strictObject({
  model: z.string().optional().describe("the model of a session that names none, such as anthropic/claude-haiku-4-5"),
  models: z.array(houseModel).optional().describe("further models of Anthropic or OpenAI, or more about known ones"),
  endpoints: z.record(endpointName, endpoint).optional().describe("further servers of models, by name"),
});

const CHECKS: { readonly [C in keyof FileValues]: z.ZodType<FileValues[C]> } = {
  text: z.string(),
  address: z.string().min(1, { error: address.expected }),
  name: agentName,
  port: whole(port, 65_535),
  count: whole(count),
  duration,
  boolean: z.boolean(),
  texts: z.array(z.string()),
  roots: z
    .array(z.string().min(1, { error: "a directory" }))
    .min(1, { error: 'at least one directory; "/" allows all' }),
  agents: z.record(agentName, agent),
  house,
};

/** The words that an editor shows. */
function described({ kind, means, file, default: text }: Setting): string {
  const only = file === "user" ? "in the user's file only: " : "";
  const paths = kind.resolve ? "; a relative path starts at this file" : "";
  return only + means + (text ? `; ${text} by default` : "") + paths;
}

function checkOf(setting: Setting): z.ZodType {
  const { check, values } = setting.kind;
  const schema = values ? z.enum([...values]) : CHECKS[check];
  return schema.optional().describe(described(setting));
}

export type ConfigFile = Readonly<Record<string, unknown>>;

/** The schema of the files, made from the table of settings. */
export function configSchema(table: Table = SETTINGS): z.ZodObject<Record<string, z.ZodType>> {
  const keys = Object.entries(table).filter(([, { file }]) => file !== undefined);
  const checks = keys.map(([name, setting]) => [name, checkOf(setting)]);
  return z.strictObject({ $schema: z.string().optional(), ...Object.fromEntries(checks) });
}

/** For editors. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema(), { io: "input" });
  return { $schema, title: "Parley's configuration", ...schema };
}
