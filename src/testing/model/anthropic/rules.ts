import { type Json, list, record, text } from "../json.ts";

const ID = /^[\w-]+$/;
const NAME = /^[\w-]{1,128}$/;
const THOUGHTS: readonly unknown[] = ["thinking", "redacted_thinking"];

function blocksOf(message: Json | undefined): Json[] {
  const content = message?.content;
  return typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(record);
}

function badBlock(block: Json): string | undefined {
  if (block.type === "text" && text(block.text).trim() === "") return "text content blocks must contain words";
  if (block.type === "tool_use" && !ID.test(text(block.id))) return `tool_use.id ${text(block.id)} should match ${ID}`;
  if (block.type === "tool_use" && !NAME.test(text(block.name)))
    return `tool_use.name ${text(block.name)} should match ${NAME}`;
  if (block.type === "tool_result" && block.is_error === true && blocksOf(block).every(badBlock))
    return "tool_result.content cannot be empty if is_error is true";
  return undefined;
}

/** The service's rules for a conversation's blocks; a conversation that breaks them cannot go on. */
export function badBlocks(messages: readonly Json[]): string | undefined {
  if (messages[0]?.role === "assistant") return "messages.0: the first message must be the user's";
  for (const [at, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const bad = blocks.map(badBlock).find((reason) => reason !== undefined);
    if (bad !== undefined) return `messages.${at}: ${bad}`;
    if (message.role === "assistant" && THOUGHTS.includes(blocks.at(-1)?.type))
      return `messages.${at}: the final block in an assistant message cannot be thinking`;
  }
  return undefined;
}
