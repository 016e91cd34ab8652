import { z } from "zod";
import {
  agentOption,
  askOption,
  endReason,
  failure,
  fileChange,
  limit,
  optionValues,
  planEntry,
  promptPart,
  question,
  usage,
} from "../../core/events/values.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import type { ChildRef } from "../contract.ts";

const text = z.string();
const maybe = text.optional();
const role = z.enum(["user", "assistant", "system"]).optional();
const kind = z.enum(["message", "reasoning"]);
const metadata = z.record(z.string(), z.unknown()).optional();

const tool = {
  call: text,
  name: maybe,
  title: maybe,
  input: z.unknown().optional(),
  inputDelta: maybe,
  parentCall: maybe,
  metadata,
};

/** The signals that a program may send. Only Parley says `exited` and `unparsed`. */
export type SpokenSignal = Exclude<Signal, { type: "exited" | "unparsed" }>;

/** The sub-agent that a signal is about. */
export const childRef: z.ZodType<ChildRef> = z.object({
  id: text,
  parent: maybe,
  title: maybe,
  agent: maybe,
  call: maybe,
});

/** A schema for each signal a program may send. */
export const signalSchemas = {
  session: z.object({
    type: z.literal("session"),
    nativeId: maybe,
    title: maybe,
    model: maybe,
    mode: maybe,
    options: optionValues.optional(),
    offers: z.array(agentOption).optional(),
    resume: z.enum(["resumed", "lost"]).optional(),
  }),
  "replay.begun": z.object({ type: z.literal("replay.begun") }),
  "replay.prompt": z.object({ type: z.literal("replay.prompt"), parts: z.array(promptPart) }),
  "replay.ended": z.object({ type: z.literal("replay.ended") }),
  "turn.begun": z.object({ type: z.literal("turn.begun"), turn: maybe }),
  "turn.finished": z.object({
    type: z.literal("turn.finished"),
    turn: maybe,
    reason: endReason,
    usage: usage.optional(),
    error: failure.optional(),
  }),
  "step.begun": z.object({ type: z.literal("step.begun"), step: maybe }),
  "step.finished": z.object({ type: z.literal("step.finished"), step: maybe, finish: maybe, usage: usage.optional() }),
  text: z.object({
    type: z.literal("text"),
    item: text,
    kind: kind.optional(),
    role,
    delta: text,
    parentCall: maybe,
  }),
  "text.done": z.object({
    type: z.literal("text.done"),
    item: text,
    kind: kind.optional(),
    role,
    text: maybe,
    parentCall: maybe,
  }),
  "text.replaced": z.object({ type: z.literal("text.replaced"), item: text, text }),
  "text.retracted": z.object({ type: z.literal("text.retracted"), item: text }),
  "text.known": z.object({ type: z.literal("text.known"), item: text, kind, role }),
  "tool.seen": z.object({ type: z.literal("tool.seen"), ...tool }),
  "tool.running": z.object({ type: z.literal("tool.running"), ...tool }),
  "tool.output": z.object({ type: z.literal("tool.output"), call: text, delta: text }),
  "tool.done": z.object({
    type: z.literal("tool.done"),
    call: text,
    ok: z.boolean(),
    output: maybe,
    content: z.array(z.unknown()).optional(),
    error: failure.optional(),
    files: z.array(fileChange).optional(),
    title: maybe,
    metadata,
  }),
  "tool.backgrounded": z.object({ type: z.literal("tool.backgrounded"), call: text }),
  permission: z.object({
    type: z.literal("permission"),
    ask: text,
    action: text,
    command: maybe,
    patterns: z.array(text).optional(),
    title: maybe,
    call: maybe,
    input: z.unknown().optional(),
    options: z.array(askOption).optional(),
    metadata,
  }),
  intent: z.object({
    type: z.literal("intent"),
    ask: text,
    action: text,
    command: maybe,
    patterns: z.array(text).optional(),
    title: maybe,
    call: maybe,
    input: z.unknown().optional(),
    metadata,
  }),
  question: z.object({
    type: z.literal("question"),
    ask: text,
    questions: z.array(question),
    kind: maybe,
    call: maybe,
    metadata,
  }),
  "ask.withdrawn": z.object({ type: z.literal("ask.withdrawn"), ask: text }),
  status: z.union([
    z.object({ type: z.literal("status"), status: z.enum(["running", "compacting"]) }),
    z.object({
      type: z.literal("status"),
      status: z.literal("retrying"),
      attempt: z.number(),
      message: text,
      next: z.number(),
    }),
  ]),
  plan: z.object({ type: z.literal("plan"), entries: z.array(planEntry) }),
  usage: z.object({ type: z.literal("usage"), usage }),
  limits: z.object({ type: z.literal("limits"), limits: z.array(limit) }),
  note: z.object({ type: z.literal("note"), level: z.enum(["info", "warn", "error"]), text, code: maybe }),
  error: z.object({ type: z.literal("error"), error: failure }),
} as const satisfies Record<SpokenSignal["type"], z.ZodType<SpokenSignal>>;

export function isSpoken(type: string): type is SpokenSignal["type"] {
  return Object.hasOwn(signalSchemas, type);
}
