import { type Conversation, type Entry, type Form, type Offered, unpaired } from "../conversation.ts";
import { contentText, type Json, list, record, text } from "../json.ts";

/** How agents of Codex tell each other the end of a task; any other message is a prompt to the agent that gets it. */
const TOLD_THE_END = /^Message Type: FINAL_ANSWER$/m;
const HEAD = /^Message Type: [\s\S]*?^Payload:\n/m;

/** Codex hides the words of a task in a part that only the service reads; here they are as they were said. */
function agentWords(content: unknown): string {
  const parts = list(content).map(record);
  return parts.map((part) => text(part.text) + text(part.encrypted_content)).join("");
}

function fromAgent(item: Json): Entry[] {
  const words = agentWords(item.content);
  return TOLD_THE_END.test(words) ? [] : [{ role: "user", text: words.replace(HEAD, "") }];
}

function entryOf(item: Json): Entry[] {
  switch (item.type ?? "message") {
    case "message":
      if (item.role === "user") return [{ role: "user", text: contentText(item.content) }];
      return item.role === "assistant" ? [{ role: "assistant", calls: [] }] : [];
    case "function_call":
    case "custom_tool_call":
    case "tool_search_call":
      return [{ role: "assistant", calls: [text(item.call_id)] }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "tool", call: text(item.call_id), text: contentText(item.output) }];
    case "tool_search_output":
      return [{ role: "tool", call: text(item.call_id), text: foundBy(item).map(nameOf).join("\n") }];
    case "agent_message":
      return fromAgent(item);
    case "reasoning":
    case "web_search_call":
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

const FORMS: Readonly<Record<string, Form>> = {
  custom: "custom",
  tool_search: "tool_search",
  web_search: "web_search",
  web_search_preview: "web_search",
};

const nameOf = ({ name, namespace }: Offered): string => (namespace === undefined ? name : `${namespace}.${name}`);

/** The tools that a search of the client found: they can be called from then on. */
function foundBy(item: Json): Offered[] {
  return list(item.tools).flatMap((tool) => offered(record(tool)));
}

function offered(tool: Json, namespace?: string): Offered[] {
  const name = text(tool.name) || text(tool.type);
  if (tool.type !== "namespace") return [{ name, form: FORMS[text(tool.type)], namespace }];
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
  const found = items.filter((item) => item.type === "tool_search_output").flatMap(foundBy);
  return {
    model: text(body.model),
    stream: body.stream === true,
    system: [text(body.instructions), ...system.map((item) => contentText(item.content))].join("\n"),
    entries,
    tools: [...[...list(body.tools), ...added].map(record).flatMap((tool) => offered(tool)), ...found],
    id: text(body.prompt_cache_key) || undefined,
    wantsUsage: true,
    refusal: refusalOf(body, items, entries),
  };
}
