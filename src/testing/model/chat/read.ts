import { type Conversation, type Entry, unpaired } from "../conversation.ts";
import { contentText, type Json, list, record, text } from "../json.ts";

function entryOf(message: Json): Entry[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", text: contentText(message.content) }];
    case "assistant":
      return [{ role: "assistant", calls: list(message.tool_calls).map((call) => text(record(call).id)) }];
    case "tool":
      return [{ role: "tool", call: text(message.tool_call_id), text: contentText(message.content) }];
    default:
      return [];
  }
}

/** Reads a request of the OpenAI chat completions API. */
export function readChat(body: Json): Conversation {
  const messages = list(body.messages).map(record);
  const entries = messages.flatMap(entryOf);
  const system = messages.filter((message) => message.role === "system" || message.role === "developer");
  return {
    model: text(body.model),
    stream: body.stream === true,
    system: system.map((message) => contentText(message.content)).join("\n"),
    entries,
    tools: list(body.tools).map((tool) => ({ name: text(record(record(tool).function).name) })),
    wantsUsage: record(body.stream_options).include_usage === true,
    refusal: entries.length === 0 ? "messages: expected at least one message of a user" : unpaired(entries),
  };
}
