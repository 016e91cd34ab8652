import { type Conversation, type Entry, MARKER, unpaired } from "../conversation.ts";
import { contentText, type Json, list, record, text } from "../json.ts";
import { badBlocks } from "./rules.ts";

function entriesOf(message: Json): Entry[] {
  const blocks = typeof message.content === "string" ? [] : list(message.content).map(record);
  if (message.role === "assistant") {
    const calls = blocks.filter((block) => block.type === "tool_use").map((block) => text(block.id));
    return [{ role: "assistant", calls }];
  }
  if (message.role !== "user") return [];
  const results = blocks.filter((block) => block.type === "tool_result");
  const said = contentText(message.content);
  // Beside tool results clients put notes of their own; only a marker shows that a person spoke.
  const spoke = said !== "" && (results.length === 0 || said.search(MARKER) >= 0);
  return [
    ...results.map(
      (block): Entry => ({ role: "tool", call: text(block.tool_use_id), text: contentText(block.content) }),
    ),
    ...(spoke ? [{ role: "user" as const, text: said }] : []),
  ];
}

/** Reads a request of the Anthropic Messages API. */
export function readAnthropic(body: Json): Conversation {
  const messages = list(body.messages).map(record);
  const entries = messages.flatMap(entriesOf);
  const systemMessages = messages.filter((message) => message.role === "system");
  const missing = entries.length === 0 ? "messages: at least one message is required" : undefined;
  return {
    model: text(body.model),
    stream: body.stream === true,
    system: [contentText(body.system), ...systemMessages.map((message) => contentText(message.content))].join("\n"),
    entries,
    tools: list(body.tools).map((tool) => ({ name: text(record(tool).name) })),
    id: text(record(body.metadata).user_id) || undefined,
    wantsUsage: true,
    refusal: missing ?? unpaired(entries) ?? badBlocks(messages),
  };
}
