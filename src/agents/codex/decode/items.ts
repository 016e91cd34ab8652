import { type Fields, fieldsIn, present, textIn } from "../../../core/json/fields.ts";
import { onCollabCall, onSubAgentActivity } from "./children.ts";
import { isOfTurn, pastKey, setItem, toldItem } from "./open-items.ts";
import type { Reading, Thread } from "./state.ts";
import { cutStep } from "./steps.ts";
import { isOpenText, wordsDone } from "./texts.ts";
import { toolDone, toolSeen } from "./tools.ts";

/** A message of the user in the middle of a turn cuts the reply that is being told: its words stay as they are, and the next ones are another reply. */
function cutReply(reading: Reading, thread: Thread): void {
  const open = [...(thread.turn?.items ?? [])].filter(([, item]) => isOpenText(item));
  let now = thread;
  for (const [id, item] of open) {
    reading.say({ type: "text.done", item: item.key }, thread);
    now = setItem(reading, now, id, { ...item, over: true });
  }
  if (open.length > 0) cutStep(reading, now);
}

export function onItemStarted(reading: Reading, params: Fields, thread: Thread): void {
  const told = fieldsIn(params, "item");
  const type = textIn(told, "type");
  if (type === "subAgentActivity") return onSubAgentActivity(reading, params, thread);
  if (!isOfTurn(thread, params)) return;
  if (type === "userMessage") return cutReply(reading, thread);
  const { item, thread: now, fresh } = toldItem(reading, thread, told);
  if (!fresh && item.over) return;
  if (type === "contextCompaction") reading.say({ type: "status", status: "compacting" }, now);
  if (type === "agentMessage" || type === "plan")
    reading.say({ type: "text", item: item.key, kind: "message", role: "assistant", delta: "" }, now);
  const seen = toolSeen(told, reading.state.directory);
  if (seen) reading.say({ type: "tool.seen", call: item.key, ...seen }, now);
  if (seen && isAtWork(told)) reading.say({ type: "tool.running", call: item.key }, now);
  if (type === "collabAgentToolCall") onCollabCall(reading, told, item.key, now);
}

/** A command without a process may wait for a permission, and so may a change; all other calls are made at once. */
function isAtWork(told: Fields): boolean {
  if (told.type === "commandExecution") return textIn(told, "processId") !== undefined;
  return told.type !== "fileChange";
}

export function onItemCompleted(reading: Reading, params: Fields, thread: Thread): void {
  const told = fieldsIn(params, "item");
  const type = textIn(told, "type");
  if (type === "userMessage") return;
  if (type === "subAgentActivity") return onSubAgentActivity(reading, params, thread);
  if (!isOfTurn(thread, params)) return onLateItem(reading, params, told, thread);
  const { item, thread: now } = toldItem(reading, thread, told);
  if (item.over) return;
  setItem(reading, now, textIn(told, "id") ?? "item", { ...item, over: true });
  if (type === "contextCompaction") return onCompacted(reading, now);
  for (const signal of wordsDone(item, told)) reading.say(signal, now);
  const seen = toolSeen(told, reading.state.directory);
  const done = toolDone(told, reading.state.directory);
  if (!seen || !done) return;
  // The program says nothing of some calls before they are over.
  reading.say({ type: done.ok ? "tool.running" : "tool.seen", call: item.key, ...seen }, now);
  if (type === "collabAgentToolCall" && onCollabCall(reading, told, item.key, now)) return;
  reading.say({ type: "tool.done", call: item.key, ...done }, now);
}

function onCompacted(reading: Reading, thread: Thread): void {
  reading.say({ type: "status", status: "running" }, thread);
  const text = "the conversation was compacted";
  reading.say({ type: "note", level: "info", code: "compacted", text }, thread);
}

const STOPPED = { code: "interrupted", message: "interrupted: the turn was stopped" };

/** An item of a turn that is over: the end of a command that went on, which begins no turn, or of one that was ended with its turn. */
function onLateItem(reading: Reading, params: Fields, told: Fields, thread: Thread): void {
  const done = toolDone(told, reading.state.directory);
  if (!done) return;
  const call = pastKey(params, textIn(told, "id") ?? "item");
  const ended = thread.stopped === params.turnId && told.exitCode !== 0;
  reading.say({ type: "tool.done", call, ...done, ...(ended ? { ok: false, error: STOPPED } : {}) }, thread);
}

/** Output of a command. Its first words come only with its end. */
export function onOutput(reading: Reading, params: Fields, thread: Thread): void {
  const id = textIn(params, "itemId") ?? "item";
  const item = isOfTurn(thread, params) ? thread.turn?.items.get(id) : undefined;
  const delta = textIn(params, "delta");
  if (delta && !item?.over) reading.say({ type: "tool.output", call: item?.key ?? pastKey(params, id), delta }, thread);
}

/** A tool of a server tells how far it is. */
export function onProgress(reading: Reading, params: Fields, thread: Thread): void {
  const item = thread.turn?.items.get(textIn(params, "itemId") ?? "");
  const progress = textIn(params, "message");
  if (item && !item.over) reading.say({ type: "tool.seen", call: item.key, metadata: present({ progress }) }, thread);
}

/** The files of a change while the model still writes them. */
export function onPatchUpdated(reading: Reading, params: Fields, thread: Thread): void {
  const id = textIn(params, "itemId") ?? "";
  const item = thread.turn?.items.get(id);
  if (!item || item.over || !Array.isArray(params.changes)) return;
  const told = { ...item.told, changes: params.changes };
  const now = setItem(reading, thread, id, { ...item, told });
  const seen = toolSeen({ ...told, type: "fileChange" }, reading.state.directory);
  if (seen)
    reading.say({ type: "tool.seen", call: item.key, ...present({ title: seen.title, input: seen.input }) }, now);
}
