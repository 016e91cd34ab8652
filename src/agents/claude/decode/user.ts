import { type Fields, fieldsIn, listIn, textIn } from "../../../core/json/fields.ts";
import { childOf, onChildAnswered, sayPrompt } from "./children.ts";
import { type Reading, without } from "./state.ts";
import { onToolResult } from "./tool-results.ts";

/** Lines in the user's name: results of tools, sub-agents' prompts, echoes of what was written, and the program's own remarks. */
export function onUser(reading: Reading, line: Fields): void {
  const uuid = textIn(line, "uuid") ?? "";
  if (line.isReplay === true) {
    const { waiting, spoke } = reading.state;
    // The echo of a prompt may come after the first words of its answer, which are further on.
    reading.patch({ waiting: without(waiting, uuid), ...(waiting.has(uuid) && !spoke ? { point: uuid } : {}) });
    return;
  }
  const blocks = listIn(fieldsIn(line, "message"), "content");
  const parent = textIn(line, "parent_tool_use_id");
  const child = parent === undefined ? undefined : childOf(reading, line, parent);
  if (parent === undefined && uuid !== "") reading.patch({ point: uuid });
  const results = blocks.filter((block) => block.type === "tool_result");
  // The account does not say which result it is about; there is never more than one in a line.
  const structured = results.length === 1 ? line.tool_use_result : undefined;
  for (const block of results) if (!child?.over) onToolResult(reading, block, structured, child?.ref);
  if (child && results.length > 0) onChildAnswered(reading, child);
  const text = blocks.flatMap((block) => textIn(block, "text") ?? []).join("\n");
  if (child) sayPrompt(reading, child, text);
  else if (line.isSynthetic === true && text !== "") reading.say({ type: "note", level: "info", text });
}
