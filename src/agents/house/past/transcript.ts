import type { ModelMessage } from "ai";

const MAX_INPUT = 600;
const MAX_OUTPUT = 2_000;

/** The beginning and the end of what is too long, with a note of what is missing. */
export function middleOut(text: string, max: number): string {
  const left = text.length - max;
  if (left <= 0) return text;
  const head = Math.ceil(max / 3);
  return `${text.slice(0, head)}\n(… ${left} characters left out …)\n${text.slice(head - max)}`;
}

type Part = Exclude<ModelMessage["content"], string>[number];

function wordsOf(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return `[calls ${part.toolName} with ${middleOut(JSON.stringify(part.input), MAX_INPUT)}]`;
    case "tool-result":
      return `[${part.toolName} gave: ${middleOut("value" in part.output ? String(part.output.value) : "", MAX_OUTPUT)}]`;
    case "file":
      return "[a file]";
    default:
      return "";
  }
}

/** A conversation as a text that any model can read, at most so long. The end of it counts more than the beginning. */
export function transcriptOf(messages: readonly ModelMessage[], max: number): string {
  const said = messages.map(({ role, content }) => {
    const words = typeof content === "string" ? content : content.map(wordsOf).filter(Boolean).join("\n");
    return role === "tool" ? words : `${role === "user" ? "User" : "Agent"}: ${words}`;
  });
  return middleOut(said.join("\n\n"), max);
}
