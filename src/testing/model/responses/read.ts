import { type Conversation, type Entry, type Offered, unpaired } from "../conversation.ts";
import { contentText, type Json, list, record, text } from "../json.ts";

function entryOf(item: Json): Entry[] {
  switch (item.type ?? "message") {
    case "message":
      if (item.role === "user") return [{ role: "user", text: contentText(item.content) }];
      return item.role === "assistant" ? [{ role: "assistant", calls: [] }] : [];
    case "function_call":
    case "custom_tool_call":
      return [{ role: "assistant", calls: [text(item.call_id)] }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "tool", call: text(item.call_id), text: contentText(item.output) }];
    case "reasoning":
    case "item_reference":
      return [{ role: "assistant", calls: [] }];
    default:
      return [];
  }
}

function refusalOf(body: Json, items: readonly Json[], entries: readonly Entry[]): string | undefined {
  if (typeof body.previous_response_id === "string") {
    return "previous_response_id: this server keeps nothing, send the whole conversation (store: false)";
  }
  if (entries.length === 0) return "input: expected at least one message of a user";
  // A reference hides which call it stands for.
  return items.some((item) => item.type === "item_reference") ? undefined : unpaired(entries, false);
}

/** The namespace whose tools are called by their names alone. */
const PLAIN = "functions";

function offered(tool: Json, namespace?: string): Offered[] {
  const name = text(tool.name) || text(tool.type);
  if (tool.type !== "namespace") return [{ name, freeform: tool.type === "custom", namespace }];
  return list(tool.tools).flatMap((one) => offered(record(one), name === PLAIN ? undefined : name));
}

/** Reads a request of the OpenAI Responses API. */
export function readResponses(body: Json): Conversation {
  const given = typeof body.input === "string" ? [{ role: "user", content: body.input }] : list(body.input);
  const items = given.map(record);
  const entries = items.flatMap(entryOf);
  const system = items.filter((item) => item.role === "system" || item.role === "developer");
  // Some models of Codex get their tools as an item of the input.
  const added = items.filter((item) => item.type === "additional_tools").flatMap((item) => list(item.tools));
  return {
    model: text(body.model),
    stream: body.stream === true,
    system: [text(body.instructions), ...system.map((item) => contentText(item.content))].join("\n"),
    entries,
    tools: [...list(body.tools), ...added].map(record).flatMap((tool) => offered(tool)),
    id: text(body.prompt_cache_key) || undefined,
    wantsUsage: true,
    refusal: refusalOf(body, items, entries),
  };
}
