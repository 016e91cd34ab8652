import { z } from "zod";
import { failure, fileChange, promptPart } from "./values.ts";

const common = {
  id: z.string().describe("prt_…; a prompt's own message keeps the prompt's id, msg_…"),
  step: z.number().optional().describe("the model round trip it came from"),
  parentCall: z.string().optional().describe("the tool call of the sub-agent that made it"),
};

export const role = z.enum(["user", "assistant", "system"]);

/** The state of an item. Messages and reasoning go running -> completed | interrupted | retracted. */
export const itemStatus = z
  .enum(["pending", "running", "completed", "failed", "interrupted", "retracted"])
  .meta({ id: "ItemStatus" });

const messageItem = z.looseObject({
  ...common,
  kind: z.literal("message"),
  role,
  status: itemStatus,
  text: z.string().optional(),
  content: z.array(promptPart).optional().describe("what a user message holds beside text"),
  queued: z.number().optional().describe("a user message: epoch milliseconds since when it waited, if it did"),
  steered: z.boolean().optional().describe("a user message given to a running turn"),
});

const reasoningItem = z.looseObject({
  ...common,
  kind: z.literal("reasoning"),
  status: itemStatus,
  text: z.string().optional(),
});

const toolCallItem = z.looseObject({
  ...common,
  kind: z.literal("tool_call"),
  status: itemStatus,
  call: z.string().describe("the agent's id of the call"),
  name: z.string(),
  title: z.string().optional(),
  input: z.unknown().optional(),
  error: failure.optional(),
  child: z.string().optional().describe("the session of the sub-agent that it started"),
  background: z.boolean().optional().describe("it goes on after its turn"),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

const toolResultItem = z.looseObject({
  ...common,
  kind: z.literal("tool_result"),
  status: itemStatus,
  call: z.string(),
  text: z.string().optional(),
  content: z.array(z.unknown()).optional().describe("structured output, as the agent gave it"),
  files: z.array(fileChange).optional(),
});

const statusItem = z.looseObject({
  ...common,
  kind: z.literal("status"),
  status: itemStatus,
  level: z.enum(["info", "warn", "error"]),
  code: z.string().optional(),
  text: z.string(),
});

export const item = z
  .discriminatedUnion("kind", [messageItem, reasoningItem, toolCallItem, toolResultItem, statusItem])
  .meta({ id: "Item" });

export type ItemStatus = z.infer<typeof itemStatus>;
export type MessageItem = z.infer<typeof messageItem>;
export type ToolCallItem = z.infer<typeof toolCallItem>;
export type ToolResultItem = z.infer<typeof toolResultItem>;
export type Item = z.infer<typeof item>;
