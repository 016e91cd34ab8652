import { z } from "zod";
import { EFFORTS } from "../../agents/house/model/efforts.ts";
import { LINE_PROTOCOL_ABILITIES } from "../../agents/line-protocol/launch.ts";
import { isCommandName, readCommandName } from "../../core/command-name.ts";
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

/** The name that an entry has: a command line is never one. */
const entryName = z.string().regex(/^(?!acp:)[\w.:-]{1,64}$/, { error: `${NAME}, which does not begin with acp:` });

function agentNameFault(name: string): string | undefined {
  if (!isCommandName(name)) return /^[\w.:-]{1,64}$/.test(name) ? undefined : `${NAME}, or acp: with a command line`;
  const read = readCommandName(name);
  return "problem" in read ? read.problem.replace(/^expected /, "") : undefined;
}

const agentName = z.string().superRefine((name, { addIssue }) => {
  const fault = agentNameFault(name);
  if (fault !== undefined) addIssue(fault);
});

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

const commandLine = z.tuple([z.string().min(1, { error: "a program" })], z.string());
const FOR_LINES = ["modes", "options", "steer", "can"] as const;

const agentFields = z.strictObject({
  command: commandLine
    .optional()
    .describe("a program that speaks the line protocol, and its arguments; a relative path starts at this file"),
  acp: commandLine
    .optional()
    .describe("in place of command: a program that speaks ACP, and its arguments; a relative path starts at this file"),
  title: z.string().optional().describe("of a program that speaks ACP: its name for people"),
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

const agent = agentFields.superRefine((fields, { addIssue }) => {
  const { command, acp, title } = fields;
  const fault = (key: string, message: string): void => addIssue({ code: "custom", path: [key], message });
  if (!command && !acp) fault("command", 'a list with the program first, here or in "acp"');
  if (command && acp) fault("acp", 'none beside "command"');
  if (command && title !== undefined) fault("title", 'none beside "command"');
  if (!acp) return;
  const vain = FOR_LINES.filter((key) => fields[key] !== undefined);
  for (const key of vain) fault(key, 'none beside "acp": the program tells it');
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
  agentName,
  port: whole(port, 65_535),
  count: whole(count),
  duration,
  boolean: z.boolean(),
  texts: z.array(z.string()),
  roots: z
    .array(z.string().min(1, { error: "a directory" }))
    .min(1, { error: 'at least one directory; "/" allows all' }),
  agents: z.record(entryName, agent),
  house,
};

/** The words that an editor shows. */
function described({ kind, means, file, default: text }: Setting): string {
  const only = file === "user" ? "in the user's file only: " : "";
  const paths = kind.resolve ? "; a relative path starts at this file" : "";
  return only + means + (text ? `; ${text} by default` : "") + paths;
}

function checkOf(setting: Setting): z.ZodType {
  const { check, values, expected, parse } = setting.kind;
  const text = z.string().refine((value) => parse(value) !== undefined, { error: expected });
  const schema = values ? z.enum([...values]) : check === "text" ? text : CHECKS[check];
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
