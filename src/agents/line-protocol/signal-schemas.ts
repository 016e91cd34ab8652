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

const input = z.unknown().optional();

const tool = { call: text, name: maybe, title: maybe, input, inputDelta: maybe, parentCall: maybe, metadata };
const patterns = z.array(text).optional();
const intent = { ask: text, action: text, command: maybe, patterns, title: maybe, call: maybe, input, metadata };

function signal<T extends string, Shape extends object>(type: T, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape });
}

/** The signals that a program may send; Parley itself says that it exited, or that it could not be read. */
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
  session: signal("session", {
    nativeId: maybe,
    title: maybe,
    model: maybe,
    mode: maybe,
    options: optionValues.optional(),
    offers: z.array(agentOption).optional(),
    resume: z.enum(["resumed", "lost"]).optional(),
  }),
  "replay.begun": signal("replay.begun", {}),
  "replay.prompt": signal("replay.prompt", { parts: z.array(promptPart) }),
  "replay.ended": signal("replay.ended", {}),
  "turn.begun": signal("turn.begun", { turn: maybe }),
  "turn.finished": signal("turn.finished", {
    turn: maybe,
    reason: endReason,
    usage: usage.optional(),
    error: failure.optional(),
  }),
  "step.begun": signal("step.begun", { step: maybe }),
  "step.finished": signal("step.finished", { step: maybe, finish: maybe, usage: usage.optional() }),
  text: signal("text", { item: text, kind: kind.optional(), role, delta: text, parentCall: maybe }),
  "text.done": signal("text.done", { item: text, kind: kind.optional(), role, text: maybe, parentCall: maybe }),
  "text.replaced": signal("text.replaced", { item: text, text }),
  "text.retracted": signal("text.retracted", { item: text }),
  "text.known": signal("text.known", { item: text, kind, role }),
  "tool.seen": signal("tool.seen", tool),
  "tool.running": signal("tool.running", tool),
  "tool.output": signal("tool.output", { call: text, delta: text }),
  "tool.done": signal("tool.done", {
    call: text,
    ok: z.boolean(),
    output: maybe,
    content: z.array(z.unknown()).optional(),
    error: failure.optional(),
    files: z.array(fileChange).optional(),
    title: maybe,
    metadata,
  }),
  "tool.backgrounded": signal("tool.backgrounded", { call: text }),
  permission: signal("permission", { ...intent, options: z.array(askOption).optional() }),
  intent: signal("intent", intent),
  question: signal("question", { ask: text, questions: z.array(question), kind: maybe, call: maybe, metadata }),
  "ask.withdrawn": signal("ask.withdrawn", { ask: text }),
  status: z.union([
    signal("status", { status: z.enum(["running", "compacting"]) }),
    signal("status", { status: z.literal("retrying"), attempt: z.number(), message: text, next: z.number() }),
  ]),
  plan: signal("plan", { entries: z.array(planEntry) }),
  usage: signal("usage", { usage }),
  limits: signal("limits", { limits: z.array(limit) }),
  note: signal("note", { level: z.enum(["info", "warn", "error"]), text, code: maybe }),
  error: signal("error", { error: failure }),
} as const satisfies Record<SpokenSignal["type"], z.ZodType<SpokenSignal>>;

export function isSpoken(type: string): type is SpokenSignal["type"] {
  return Object.hasOwn(signalSchemas, type);
}
