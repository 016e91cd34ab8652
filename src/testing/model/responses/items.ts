import type { Making } from "../frames.ts";
import { joined, type Part, type ToolPart } from "../reply.ts";

/** Clients send it back unread. */
const ENCRYPTED = "c2NyaXB0ZWQ=";

/** How one part of a reply is written: the item when it begins and when it is done, and the events between. */
export interface Written {
  begun: object;
  done: object;
  /** Events before, for each and after the pieces, by their short names. */
  before: readonly [string, object][];
  /** Absent: the item is told as a whole. */
  piece?(text: string): [string, object];
  after: readonly [string, object][];
}

function message(id: string, said: string): Written {
  const at = { item_id: id, content_index: 0 };
  const part = (text: string) => ({ type: "output_text", text, annotations: [] });
  const item = { id, type: "message", role: "assistant" };
  return {
    begun: { ...item, status: "in_progress", content: [] },
    done: { ...item, status: "completed", content: [part(said)] },
    before: [["content_part.added", { ...at, part: part("") }]],
    piece: (delta) => ["output_text.delta", { ...at, delta }],
    after: [
      ["output_text.done", { ...at, text: said }],
      ["content_part.done", { ...at, part: part(said) }],
    ],
  };
}

function reasoning(id: string, thought: string): Written {
  const at = { item_id: id, summary_index: 0 };
  const part = (text: string) => ({ type: "summary_text", text });
  const item = { id, type: "reasoning", encrypted_content: ENCRYPTED };
  return {
    begun: { ...item, summary: [] },
    done: { ...item, summary: [part(thought)] },
    before: [["reasoning_summary_part.added", { ...at, part: part("") }]],
    piece: (delta) => ["reasoning_summary_text.delta", { ...at, delta }],
    after: [
      ["reasoning_summary_text.done", { ...at, text: thought }],
      ["reasoning_summary_part.done", { ...at, part: part(thought) }],
    ],
  };
}

interface Named {
  name: string;
  namespace?: string;
}

function functionCall(id: string, call: string, named: Named, input: string): Written {
  const item = { id, type: "function_call", call_id: call, ...named };
  return {
    begun: { ...item, status: "in_progress", arguments: "" },
    done: { ...item, status: "completed", arguments: input },
    before: [],
    piece: (delta) => ["function_call_arguments.delta", { item_id: id, delta }],
    after: [["function_call_arguments.done", { item_id: id, name: named.name, arguments: input }]],
  };
}

function freeformCall(id: string, call: string, named: Named, input: string): Written {
  const item = { id, type: "custom_tool_call", call_id: call, ...named };
  return {
    begun: { ...item, status: "in_progress", input: "" },
    done: { ...item, status: "completed", input },
    before: [],
    piece: (delta) => ["custom_tool_call_input.delta", { item_id: id, delta }],
    after: [["custom_tool_call_input.done", { item_id: id, input }]],
  };
}

function toolSearch(id: string, call: string, { input }: ToolPart): Written {
  const item = { id, type: "tool_search_call", call_id: call, execution: "client", arguments: input };
  return {
    begun: { ...item, status: "in_progress" },
    done: { ...item, status: "completed" },
    before: [],
    after: [],
  };
}

function webSearch(id: string, { input }: ToolPart): Written {
  const item = { id, type: "web_search_call" };
  const at = { item_id: id };
  const action = { type: "search", ...(typeof input === "string" ? { query: input } : input) };
  return {
    begun: { ...item, status: "in_progress" },
    done: { ...item, status: "completed", action },
    before: [
      ["web_search_call.in_progress", at],
      ["web_search_call.searching", at],
    ],
    after: [["web_search_call.completed", at]],
  };
}

export function writtenOf(part: Part, making: Making): Written {
  const whole = joined(part.pieces);
  if (part.kind === "text") return message(making.newId("msg_"), whole);
  if (part.kind === "reasoning") return reasoning(making.newId("rs_"), whole);
  const { form, namespace } = making.tools.find((tool) => tool.name === part.name) ?? {};
  if (form === "web_search") return webSearch(making.newId("ws_"), part);
  const call = part.id ?? making.newId("call_");
  if (form === "tool_search") return toolSearch(making.newId("tsc_"), call, part);
  const named = namespace === undefined ? { name: part.name } : { name: part.name, namespace };
  return form === "custom"
    ? freeformCall(making.newId("ctc_"), call, named, whole)
    : functionCall(making.newId("fc_"), call, named, whole);
}
