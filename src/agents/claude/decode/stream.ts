import { withEntry } from "../../../core/entries.ts";
import { type Fields, fieldsIn, numberIn, present, textIn } from "../../../core/json/fields.ts";
import type { Block, Message, Reading } from "./state.ts";
import { stepUsage } from "./usage.ts";

/** Kinds of blocks that call a tool: the program's own, the service's, and those of MCP servers. */
export function isToolUse(type: string | undefined): boolean {
  return type?.endsWith("tool_use") === true;
}

/** The model's words as they come. Only the main conversation is streamed. */
export function onStreamEvent(reading: Reading, line: Fields): void {
  if (textIn(line, "parent_tool_use_id") !== undefined) return;
  const event = fieldsIn(line, "event");
  switch (textIn(event, "type")) {
    case "message_start":
      return onMessageStart(reading, fieldsIn(event, "message"));
    case "content_block_start":
      return onBlockStart(reading, numberIn(event, "index") ?? 0, fieldsIn(event, "content_block"));
    case "content_block_delta":
      return onBlockDelta(reading, numberIn(event, "index") ?? 0, fieldsIn(event, "delta"));
    case "message_delta":
      return onMessageDelta(reading, event);
    case "message_stop":
      return onMessageStop(reading, numberIn(fieldsIn(line, "abandoned_blocks"), "from_block_index"));
  }
}

function onMessageStart(reading: Reading, message: Fields): void {
  const id = textIn(message, "id");
  if (id === undefined || reading.state.message?.id === id) return;
  dropUnfinished(reading);
  closeUnstreamed(reading);
  reading.patch({ message: { id, blocks: new Map(), stopped: false, usage: fieldsIn(message, "usage") } });
  reading.say({ type: "step.begun", step: id });
}

/** The program asks again for a reply that was cut off: the text of its unfinished blocks is retracted. */
export function dropUnfinished(reading: Reading): void {
  const { message } = reading.state;
  if (!message || message.stopped) return;
  for (const block of message.blocks.values()) if (!block.whole) dropBlock(reading, block);
  reading.patch({ message: { ...message, stopped: true } });
}

function dropBlock(reading: Reading, { kind, key }: Block): void {
  if (kind === "tool") {
    const error = { code: "retracted", message: "the model's answer was cut off before the call was whole" };
    reading.say({ type: "tool.done", call: key, ok: false, error });
  } else if (kind !== "other") {
    reading.say({ type: "text.retracted", item: key });
  }
}

/** Ends the step of a message that came whole, which no line ends. */
export function closeUnstreamed(reading: Reading): void {
  const { unstreamed } = reading.state;
  if (!unstreamed) return;
  const { id, finish, usage } = unstreamed;
  const { point } = reading.state;
  reading.patch({ unstreamed: null });
  reading.say(present({ type: "step.finished", step: id, finish, usage, point }));
}

function setBlock(reading: Reading, message: Message, index: number, block: Block): void {
  reading.patch({ message: { ...message, blocks: withEntry(message.blocks, index, block) } });
}

function blockOf(id: string, index: number, content: Fields): Block {
  const type = textIn(content, "type");
  const call = textIn(content, "id");
  if (isToolUse(type) && call !== undefined) return { kind: "tool", key: call, whole: false };
  const kind = type === "text" ? "message" : type === "thinking" ? "reasoning" : "other";
  return { kind, key: `${id}:${index}`, whole: false };
}

function onBlockStart(reading: Reading, index: number, content: Fields): void {
  const { message } = reading.state;
  if (!message || message.blocks.has(index)) return;
  const block = blockOf(message.id, index, content);
  setBlock(reading, message, index, block);
  if (block.kind === "tool") {
    reading.say({ type: "tool.seen", call: block.key, name: textIn(content, "name") ?? "unknown" });
  } else {
    sayText(reading, block, textIn(content, "text") ?? textIn(content, "thinking"));
  }
}

function sayText(reading: Reading, { kind, key }: Block, delta: string | undefined): void {
  if (!delta) return;
  if (kind === "message") reading.say({ type: "text", item: key, kind, role: "assistant", delta });
  else if (kind === "reasoning") reading.say({ type: "text", item: key, kind, delta });
}

function onBlockDelta(reading: Reading, index: number, delta: Fields): void {
  const block = reading.state.message?.blocks.get(index);
  if (!block || block.whole) return;
  if (block.kind !== "tool") return sayText(reading, block, textIn(delta, "text") ?? textIn(delta, "thinking"));
  const inputDelta = textIn(delta, "partial_json");
  if (inputDelta) reading.say({ type: "tool.seen", call: block.key, inputDelta });
}

function onMessageDelta(reading: Reading, event: Fields): void {
  const { message } = reading.state;
  if (!message) return;
  const finish = textIn(fieldsIn(event, "delta"), "stop_reason");
  const usage = { ...message.usage, ...fieldsIn(event, "usage") };
  reading.patch({ message: { ...message, usage, ...(finish === undefined ? {} : { finish }) } });
}

/**
 * The line with a whole block comes before the end of its message; a program that sends none is content with what was streamed. From the
 * block `abandoned` on, the program has given the message up and asks for it again.
 */
function onMessageStop(reading: Reading, abandoned = Number.POSITIVE_INFINITY): void {
  const { message, context, point } = reading.state;
  if (!message || message.stopped) return;
  for (const [index, block] of message.blocks) {
    if (block.whole) continue;
    if (index >= abandoned) dropBlock(reading, block);
    else if (block.kind !== "other" && block.kind !== "tool") reading.say({ type: "text.done", item: block.key });
  }
  const usage = stepUsage(message.usage ?? {}, context?.size);
  reading.patch({ message: { ...message, stopped: true }, context: usage.context });
  const { id: step, finish } = message;
  reading.say(present({ type: "step.finished", step, usage, finish, point }));
}
