import { withEntry } from "../../../core/entries.ts";
import { type Fields, fieldsIn, listIn, numberIn, present, textIn } from "../../../core/json/fields.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import { toolTitle } from "../tool-title.ts";
import type { Child, Reading } from "./state.ts";
import { isToolUse } from "./stream.ts";

function setChild(reading: Reading, child: Child): void {
  reading.patch({ children: withEntry(reading.state.children, child.ref.id, child) });
}

function childByCall(reading: Reading, call: string): Child | undefined {
  return [...reading.state.children.values()].findLast((child) => child.call === call);
}

/** The sub-agent that a line is about; one that was never announced is known by its call. */
export function childOf(reading: Reading, line: Fields, call: string): Child {
  const known = childByCall(reading, call);
  return known ?? beginChild(reading, call, call, textIn(line, "task_description"), textIn(line, "subagent_type"));
}

function beginChild(reading: Reading, id: string, call: string, title?: string, agent?: string): Child {
  const child: Child = { ref: { id, call, ...present({ title, agent }) }, call, background: false, over: false };
  setChild(reading, child);
  reading.say({ type: "turn.begun" }, child.ref);
  const metadata = { task: id, ...present({ subagent: agent }) };
  reading.say({ type: "tool.seen", call, metadata });
  return child;
}

/** Adds a signal about a sub-agent. After the sub-agent's end it becomes a note: it must not begin a turn that nothing ends. */
function sayOfChild(reading: Reading, child: Child, signal: Signal): void {
  if (!child.over) reading.say(signal, child.ref);
  else if ("text" in signal && signal.text) reading.say({ type: "note", level: "info", text: signal.text }, child.ref);
}

export function sayPrompt(reading: Reading, child: Child, text: string | undefined): void {
  if (!text || child.over) return;
  sayOfChild(reading, child, { type: "text.done", item: `${child.call}:prompt`, kind: "message", role: "user", text });
}

export function onTaskStarted(reading: Reading, line: Fields): void {
  const task = textIn(line, "task_id");
  const call = textIn(line, "tool_use_id");
  const agent = textIn(line, "subagent_type");
  if (task === undefined || call === undefined) return;
  if (agent === undefined && textIn(line, "task_type") !== "local_agent") return;
  const known = reading.state.children.get(task);
  if (known && !known.over) return;
  sayPrompt(reading, beginChild(reading, task, call, textIn(line, "description"), agent), textIn(line, "prompt"));
}

export function onTaskProgress(reading: Reading, line: Fields): void {
  const child = reading.state.children.get(textIn(line, "task_id") ?? "");
  if (!child || child.over) return;
  const used = fieldsIn(line, "usage");
  const progress = present({
    doing: textIn(line, "description"),
    tokens: numberIn(used, "total_tokens"),
    tools: numberIn(used, "tool_uses"),
  });
  const metadata = { task: child.ref.id, ...present({ subagent: child.ref.agent }), progress };
  reading.say({ type: "tool.seen", call: child.call, metadata });
}

const RUNNING: ReadonlySet<string> = new Set(["pending", "running", "paused"]);

export function onTaskUpdated(reading: Reading, line: Fields): void {
  const child = reading.state.children.get(textIn(line, "task_id") ?? "");
  const status = textIn(fieldsIn(line, "patch"), "status");
  if (child && status !== undefined && !RUNNING.has(status)) finishChild(reading, child, status);
}

/** A task is over. For one that ran in the background this is the last word about its call. */
export function onTaskNotification(reading: Reading, line: Fields): void {
  const task = textIn(line, "task_id") ?? "";
  const status = textIn(line, "status") ?? "completed";
  const output = textIn(line, "summary") ?? "";
  const child = reading.state.children.get(task);
  const call = child?.background ? child.call : reading.state.commands.get(task);
  if (child) finishChild(reading, child, status, output);
  if (call === undefined) return;
  reading.patch({ commands: withEntry(reading.state.commands, task, undefined) });
  reading.say({ type: "tool.done", call, ok: status === "completed", output });
}

export function finishChild(reading: Reading, child: Child, status: string, summary = ""): void {
  if (child.over) return;
  setChild(reading, { ...child, over: true });
  const failed = status === "failed";
  const error = { code: "agent_failed", message: summary || "the sub-agent failed without saying why" };
  const reason = failed ? "error" : status === "completed" ? "end_turn" : "cancelled";
  reading.say({ type: "turn.finished", reason, ...(failed ? { error } : {}) }, child.ref);
}

/** Its call has returned: a sub-agent that goes on does so in the background. */
export function onChildReturned(reading: Reading, call: string, background: boolean, ok: boolean): void {
  const child = childByCall(reading, call);
  if (!child) return;
  if (background) setChild(reading, { ...child, background });
  else finishChild(reading, child, ok ? "completed" : "stopped");
}

/** Whole blocks of a sub-agent's message: nothing of it is streamed. */
export function onChildBlocks(reading: Reading, line: Fields, call: string): void {
  let child = childOf(reading, line, call);
  const message = fieldsIn(line, "message");
  const id = textIn(message, "id") ?? "message";
  if (child.message?.id !== id && !child.over) {
    sayOfChild(reading, child, { type: "step.begun", step: id });
    child = { ...child, message: { id, count: 0 } };
  }
  for (const block of listIn(message, "content")) {
    const count = child.message?.count ?? 0;
    sayBlock(reading, child, block, `${id}:${count}`);
    child = { ...child, message: { id, count: count + 1 } };
  }
  setChild(reading, child);
}

function sayBlock(reading: Reading, child: Child, block: Fields, item: string): void {
  const type = textIn(block, "type");
  const call = textIn(block, "id");
  if (isToolUse(type) && call !== undefined) {
    const name = textIn(block, "name") ?? "unknown";
    const input = fieldsIn(block, "input");
    reading.patch({ calls: withEntry(reading.state.calls, call, { name, input }) });
    const title = toolTitle(name, input, reading.state.directory);
    return sayOfChild(reading, child, { type: "tool.running", call, name, input, ...present({ title }) });
  }
  const text = textIn(block, type ?? "");
  if (!text) return;
  if (type === "text")
    sayOfChild(reading, child, { type: "text.done", item, kind: "message", role: "assistant", text });
  if (type === "thinking") sayOfChild(reading, child, { type: "text.done", item, kind: "reasoning", text });
}
