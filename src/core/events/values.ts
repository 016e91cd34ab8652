import { z } from "zod";

/** An object with a name in the schemas. It is loose: a field that a newer Parley adds is kept, not refused. */
export function loose<S extends z.ZodRawShape>(id: string, shape: S): z.ZodObject<S, z.core.$loose> {
  return z.looseObject(shape).meta({ id });
}

export const promptPart = z
  .union([
    z.looseObject({
      type: z.literal("text"),
      text: z.string(),
      synthetic: z.boolean().optional().describe("said by Parley in the user's place"),
    }),
    z.looseObject({
      type: z.literal("file"),
      path: z.string().optional().describe("a path inside the session's directory"),
      url: z.string().optional().describe("a data: URL, for content that is not on disk"),
      mime: z.string().optional(),
      name: z.string().optional(),
    }),
  ])
  .meta({ id: "PromptPart" });

export const delivery = z
  .enum(["queue", "steer", "reject", "context"])
  .describe("`context`: it begins no turn, and is given to the agent with the next prompt that does")
  .meta({ id: "Delivery" });

export const task = z
  .union([
    z.looseObject({ type: z.literal("shell"), command: z.string() }),
    z.looseObject({ type: z.literal("compact"), auto: z.boolean().optional() }),
  ])
  .meta({ id: "Task" });

export const permissionRule = loose("PermissionRule", {
  action: z.string().describe("what is asked for, `question` for a question; `*` and `?` stand for anything"),
  pattern: z.string().describe("of what it is asked for, in the same way"),
  verdict: z.enum(["allow", "deny", "ask"]),
});

/** The value of an option: one of its values, or yes and no. */
export const optionValue = z.union([z.string(), z.boolean()]);

export const optionValues = z
  .record(z.string(), optionValue)
  .describe("the options in force by their ids, such as effort");

/** A choice beside model and mode that an agent offers. */
export const agentOption = loose("AgentOption", {
  id: z.string().describe("such as `effort`"),
  name: z.string().optional(),
  description: z.string().optional(),
  category: z.string().optional().describe("what it is about, in the agent's word, such as `model_config`"),
  kind: z.enum(["select", "boolean"]),
  values: z
    .array(z.looseObject({ id: z.string(), name: z.string().optional(), description: z.string().optional() }))
    .optional()
    .describe("of a `select`: all that it can be"),
  default: optionValue.optional().describe("of a session that chooses none, where known"),
});

/** An MCP server of a session, without the part of it that may hold secrets. */
export const shownServer = loose("McpServerName", { name: z.string(), type: z.enum(["stdio", "http", "sse"]) });

/** A limit on the use of a model: a rate limit, or the window of a subscription. */
export const limit = loose("Limit", {
  id: z.string().describe("the agent's word for it, such as `five_hour`"),
  name: z.string().optional(),
  status: z.enum(["allowed", "warning", "reached"]).optional(),
  used: z.number().optional().describe("percent"),
  resets: z.number().optional().describe("epoch milliseconds"),
  window: z.number().optional().describe("its length in minutes"),
});

export const prompt = loose("Prompt", {
  id: z.string().describe("msg_…, made by the client or by Parley"),
  parts: z.array(promptPart),
  delivery: delivery.optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  options: optionValues.optional(),
  task: task.optional().describe("what its turn is for, where it is not for the agent to answer"),
  queued: z.number().optional().describe("epoch milliseconds since when it waited, if it did"),
  system: z.string().optional().describe("further instructions for this turn"),
  permissions: z.array(permissionRule).optional().describe("the session's rules from its turn on"),
  attended: z.boolean().optional().describe("its client can answer what Parley itself asks before the agent starts"),
  digest: z.string().optional().describe("of the request's body: the same id with another digest is a conflict"),
});

export const tokens = loose("Tokens", {
  input: z.number().describe("without the part that a cache had"),
  output: z.number().describe("with the reasoning"),
  reasoning: z.number().optional().describe("a part of the output"),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
});

/** A part of a usage that one model had. */
export const usageShare = loose("UsageShare", { tokens, cost: z.number().optional().describe("US dollars") });

export const usage = loose("Usage", {
  tokens: tokens.optional(),
  cost: z.number().optional().describe("US dollars"),
  models: z
    .record(z.string(), usageShare)
    .optional()
    .describe("the same by model, in the agent's names, where the agent tells it"),
  context: z.looseObject({ used: z.number(), size: z.number().optional() }).optional(),
});

export const failure = loose("Failure", {
  code: z.string(),
  message: z.string(),
  retryable: z.boolean().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

export const fileChange = loose("FileChange", {
  path: z.string(),
  kind: z.enum(["added", "modified", "deleted", "renamed"]),
  from: z.string().optional(),
  diff: z.string().optional().describe("unified diff"),
  additions: z.number().optional(),
  deletions: z.number().optional(),
  cut: z
    .looseObject({ characters: z.number() })
    .optional()
    .describe("so many characters of the diff were left out: the change cannot be taken back by it"),
  elsewhere: z
    .boolean()
    .optional()
    .describe("it was made where an imported session came from: a revert leaves the file as it is"),
});

/** All changes of one file together. */
export const fileTotal = loose("FileTotal", {
  path: z.string(),
  kind: z.enum(["added", "modified", "deleted", "renamed"]),
  additions: z.number(),
  deletions: z.number(),
});

export const planEntry = loose("PlanEntry", {
  text: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
  priority: z.enum(["high", "medium", "low"]).optional(),
});

export const askOption = loose("AskOption", {
  id: z.string(),
  kind: z.enum(["once", "always", "reject"]),
  label: z.string().optional(),
});

export const question = loose("Question", {
  question: z.string(),
  header: z.string().optional(),
  options: z.array(z.looseObject({ label: z.string(), description: z.string().optional() })),
  multiple: z.boolean().optional(),
  custom: z.boolean().optional().describe("free text is welcome"),
});

export const endReason = z
  .enum(["end_turn", "max_tokens", "max_turns", "refusal", "cancelled", "error", "interrupted"])
  .meta({ id: "EndReason" });

export const turnStatus = z
  .union([
    z.looseObject({ status: z.enum(["running", "requires_action", "compacting"]) }),
    z.looseObject({
      status: z.literal("retrying"),
      attempt: z.number(),
      message: z.string(),
      next: z.number().describe("epoch milliseconds of the next try"),
    }),
  ])
  .meta({ id: "TurnStatus" });

export type PromptPart = z.infer<typeof promptPart>;
export type Delivery = z.infer<typeof delivery>;
export type Task = z.infer<typeof task>;
export type Prompt = z.infer<typeof prompt>;
export type OptionValue = z.infer<typeof optionValue>;
export type OptionValues = z.infer<typeof optionValues>;
export type AgentOption = z.infer<typeof agentOption>;
export type ShownServer = z.infer<typeof shownServer>;
export type Limit = z.infer<typeof limit>;
export type Tokens = z.infer<typeof tokens>;
export type Usage = z.infer<typeof usage>;
export type UsageShare = z.infer<typeof usageShare>;
export type Failure = z.infer<typeof failure>;
export type FileChange = z.infer<typeof fileChange>;
export type FileTotal = z.infer<typeof fileTotal>;
export type PlanEntry = z.infer<typeof planEntry>;
export type AskOption = z.infer<typeof askOption>;
export type PermissionRule = z.infer<typeof permissionRule>;
export type Question = z.infer<typeof question>;
export type EndReason = z.infer<typeof endReason>;
export type TurnStatus = z.infer<typeof turnStatus>;
