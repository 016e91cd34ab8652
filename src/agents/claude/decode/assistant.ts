import { withEntry } from "../../../core/entries.ts";
import { type Fields, fieldsIn, listIn, textIn } from "../../../core/json/fields.ts";
import { toolTitle } from "../tool-title.ts";
import { onChildBlocks } from "./children.ts";
import { failureOf } from "./failures.ts";
import type { Block, Message, Reading } from "./state.ts";
import { closeUnstreamed, dropUnfinished, isToolUse } from "./stream.ts";
import { onToolResult } from "./tool-results.ts";
import { stepUsage } from "./usage.ts";

/** The program's own words, not the model's: answers of its commands, and errors. */
const SYNTHETIC = "<synthetic>";
const NOTHING = "(no content)";

/** A block of a message, whole. It comes before the block's end in the stream, and alone where nothing is streamed. */
export function onAssistant(reading: Reading, line: Fields): void {
  const parent = textIn(line, "parent_tool_use_id");
  if (parent !== undefined) return onChildBlocks(reading, line, parent);
  const message = fieldsIn(line, "message");
  const error = textIn(line, "error");
  if (error !== undefined) return onModelError(reading, error, message);
  if (textIn(message, "model") === SYNTHETIC) return onSynthetic(reading, message);
  reading.patch({ point: textIn(line, "uuid") ?? reading.state.point });
  const id = textIn(message, "id") ?? "message";
  const streamed = reading.state.message?.id === id;
  if (!streamed) beginUnstreamed(reading, id, message);
  for (const block of listIn(message, "content")) {
    reading.patch({ spoke: true });
    onBlock(reading, block, streamed ? takeBlock(reading, block) : undefined, id);
  }
}

/** An error ends no turn by itself: the program may go on, and only its `result` ends the turn. */
function onModelError(reading: Reading, kind: string, message: Fields): void {
  const text = textOf(message);
  reading.patch({ failure: { kind, text } });
  reading.say({ type: "error", error: failureOf(kind, text) });
}

function textOf(message: Fields): string {
  return listIn(message, "content")
    .map((block) => textIn(block, "text") ?? "")
    .join("");
}

function onSynthetic(reading: Reading, message: Fields): void {
  const text = textOf(message);
  if (text === "" || text === NOTHING) return;
  reading.patch({ spoke: true });
  const item = `${textIn(message, "id") ?? "synthetic"}:0`;
  reading.say({ type: "text.done", item, kind: "message", role: "assistant", text });
}

/** A message with no stream: after a cut stream the program asks again without streaming. */
function beginUnstreamed(reading: Reading, id: string, message: Fields): void {
  dropUnfinished(reading);
  if (reading.state.unstreamed?.id === id) return;
  closeUnstreamed(reading);
  const finish = textIn(message, "stop_reason");
  const usage = stepUsage(fieldsIn(message, "usage"), reading.state.context?.size);
  // Only a message that is whole knows what it used.
  const whole = finish === undefined ? {} : { finish, usage };
  reading.patch({
    unstreamed: { id, count: 0, ...whole },
    ...(finish === undefined ? {} : { context: usage.context }),
  });
  reading.say({ type: "step.begun", step: id });
}

/** The streamed block that this line tells whole: a call by its id, a text as the first of its kind that is not whole yet. */
function takeBlock(reading: Reading, content: Fields): string | undefined {
  const { message } = reading.state;
  const type = textIn(content, "type");
  const kind = isToolUse(type) ? "tool" : type === "text" ? "message" : type === "thinking" ? "reasoning" : "other";
  const found = [...(message?.blocks ?? [])].find(
    ([, block]) => !block.whole && block.kind === kind && (kind !== "tool" || block.key === textIn(content, "id")),
  );
  if (!message || !found) return undefined;
  markWhole(reading, message, found);
  return found[1].key;
}

function markWhole(reading: Reading, message: Message, [index, block]: [number, Block]): void {
  reading.patch({ message: { ...message, blocks: withEntry(message.blocks, index, { ...block, whole: true }) } });
}

function unstreamedKey(reading: Reading, id: string): string {
  const { unstreamed } = reading.state;
  const count = unstreamed?.id === id ? unstreamed.count : 0;
  reading.patch({ unstreamed: { ...unstreamed, id, count: count + 1 } });
  return `${id}:whole:${count}`;
}

function onBlock(reading: Reading, block: Fields, key: string | undefined, message: string): void {
  const type = textIn(block, "type");
  if (isToolUse(type)) return onToolUse(reading, block);
  if (type?.endsWith("tool_result")) return onToolResult(reading, block, undefined);
  const kind = type === "text" ? "message" : type === "thinking" ? "reasoning" : undefined;
  const text = textIn(block, type ?? "");
  if (!kind || (!text && key === undefined)) return;
  const item = key ?? unstreamedKey(reading, message);
  reading.say({ type: "text.done", item, kind, text, ...(kind === "message" ? { role: "assistant" } : {}) });
}

function onToolUse(reading: Reading, block: Fields): void {
  const call = textIn(block, "id");
  if (call === undefined) return;
  const name = textIn(block, "name") ?? "unknown";
  const input = fieldsIn(block, "input");
  reading.patch({ calls: withEntry(reading.state.calls, call, { name, input }) });
  const title = toolTitle(name, input, reading.state.directory);
  reading.say({ type: "tool.running", call, name, input, ...(title === undefined ? {} : { title }) });
}
