import type { AssistantContent, ModelMessage, ToolContent } from "ai";
import type { Outcome } from "./deferreds.ts";

export type AssistantPart = Exclude<AssistantContent, string>[number];
type ResultPart = Extract<ToolContent[number], { type: "tool-result" }>;

/** A call's result as the model gets it. */
export function resultPart(call: string, name: string, { ok, output }: Pick<Outcome, "ok" | "output">): ResultPart {
  return {
    type: "tool-result",
    toolCallId: call,
    toolName: name,
    output: { type: ok ? "text" : "error-text", value: output },
  };
}

/** The messages of one step: what the model said and called, then what came of each call. */
export function stepMessages(content: readonly AssistantPart[], results: readonly ResultPart[]): ModelMessage[] {
  if (content.length === 0) return [];
  const said: ModelMessage = { role: "assistant", content: [...content] };
  return results.length === 0 ? [said] : [said, { role: "tool", content: [...results] }];
}

/** Providers take only objects as a call's input; what a model garbled is shown to it as it was. */
export function inputObject(input: unknown): Record<string, unknown> {
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : { garbled: input };
}
