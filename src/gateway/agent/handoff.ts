import type { ParleyEvent } from "../../core/events/event.ts";
import type { Prompt } from "../../core/events/values.ts";

const HANDOFF_CHARS = 12_000;

/** The end of a conversation as text, for an agent that has forgotten it. */
export function transcriptOf(events: readonly ParleyEvent[], limit: number = HANDOFF_CHARS): string {
  const lines: string[] = [];
  for (const event of events) {
    if (event.type !== "item.completed") continue;
    const { item } = event.data;
    if (item.kind === "message" && item.text) lines.push(`${item.role}: ${item.text}`);
    if (item.kind === "tool_call")
      lines.push(`tool ${item.name} (${item.status})${item.title ? `: ${item.title}` : ""}`);
  }
  const text = lines.join("\n");
  return text.length <= limit ? text : `…${text.slice(text.length - limit)}`;
}

/** The prompt with the handoff before it: a fresh agent goes on where the lost one stopped. */
export function withTranscript(prompt: Prompt, transcript: string): Prompt {
  if (transcript === "") return prompt;
  const before = `Your own memory of this conversation was lost. This is how it went so far:\n\n${transcript}\n\nThe next message follows.`;
  return { ...prompt, parts: [{ type: "text", text: before }, ...prompt.parts] };
}

/** The prompt with the client's instructions before it, for an agent that takes none apart. */
export function withInstructions({ system, ...prompt }: Prompt): Prompt {
  if (system === undefined) return prompt;
  return { ...prompt, parts: [{ type: "text", text: system }, ...prompt.parts] };
}
