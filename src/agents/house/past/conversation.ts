import type { AssistantContent, ModelMessage, ToolContent } from "ai";
import { isFields } from "../../../core/json/fields.ts";
import type { Outcome } from "../turn/deferreds.ts";

export type AssistantPart = Exclude<AssistantContent, string>[number];
type ResultPart = Extract<ToolContent[number], { type: "tool-result" }>;

type CallPart = Extract<AssistantPart, { type: "tool-call" }>;

/** A name that every provider takes. Models make up others, and a provider refuses the whole conversation for one of them. */
function acceptedName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_").slice(0, 64);
}

export function callPart(call: string, name: string, input: unknown): CallPart {
  return { type: "tool-call", toolCallId: call, toolName: acceptedName(name), input: inputObject(input) };
}

/** A call's result as the model gets it. Half a character or an error without a word would be refused. */
export function resultPart(call: string, name: string, { ok, output }: Pick<Outcome, "ok" | "output">): ResultPart {
  const value = output.toWellFormed() || (ok ? "" : "it failed and did not say why");
  const told = { type: ok ? "text" : "error-text", value } as const;
  return { type: "tool-result", toolCallId: call, toolName: acceptedName(name), output: told };
}

/** The messages of one step: what the model said and called, then what came of each call. No provider takes thoughts that lead to nothing. */
export function stepMessages(content: readonly AssistantPart[], results: readonly ResultPart[]): ModelMessage[] {
  const last = content.findLastIndex((part) => part.type !== "reasoning");
  if (last < 0) return [];
  const said: ModelMessage = { role: "assistant", content: content.slice(0, last + 1) };
  return results.length === 0 ? [said] : [said, { role: "tool", content: [...results] }];
}

function plainParts(parts: readonly AssistantPart[]): AssistantPart[] {
  return parts.flatMap((part) => (part.type === "reasoning" ? [] : [{ ...part, providerOptions: undefined }]));
}

/** The conversation for another model: what the one before has signed or numbered is refused by it. */
export function forAnotherModel(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message) =>
    message.role === "assistant" && typeof message.content !== "string"
      ? { ...message, content: plainParts(message.content) }
      : message,
  );
}

/** Providers take only objects as a call's input; what a model garbled is shown to it as it was. */
export function inputObject(input: unknown): Record<string, unknown> {
  return isFields(input) ? input : { garbled: input };
}
