import { withEntry } from "../../../core/entries.ts";
import { type Fields, fieldsIn, listIn, numberIn, present, textIn } from "../../../core/json/fields.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import type { ChildRef } from "../../contract.ts";
import { toolTitle } from "../tool-title.ts";
import type { Child, Reading, Request } from "./state.ts";
import { isToolUse } from "./stream.ts";

function setChild(reading: Reading, child: Child): void {
  reading.patch({ children: withEntry(reading.state.children, child.ref.id, child) });
}

function childByCall(reading: Reading, call: string): Child | undefined {
  return [...reading.state.children.values()].findLast((child) => child.call === call);
}

/** The sub-agent that a line is about, by its own id where the line has it; one that was never announced is known by its call. */
export function childOf(reading: Reading, line: Fields, call: string): Child {
  const known = reading.state.children.get(textIn(line, "agent_id") ?? "") ?? childByCall(reading, call);
  if (known) return known;
  return beginChild(
    reading,
    present({ id: call, call, title: textIn(line, "task_description"), agent: textIn(line, "subagent_type") }),
    { call, background: false },
  );
}

function beginChild(reading: Reading, ref: ChildRef, facts: Pick<Child, "call" | "background">): Child {
  const child: Child = { ref, ...facts, over: false };
  setChild(reading, child);
  reading.say({ type: "turn.begun" }, ref);
  sayTask(reading, child);
  return child;
}

/** Tells of a sub-agent's work at its call, which another sub-agent may have made. */
function sayTask(reading: Reading, { ref, call }: Child, progress?: Fields): void {
  const metadata = { task: ref.id, ...present({ subagent: ref.agent, progress }) };
  reading.say({ type: "tool.seen", call, metadata }, starterOf(reading, ref));
}

/** The sub-agent that started a sub-agent; undefined for one that the session's own agent started. */
function starterOf(reading: Reading, { parent }: ChildRef): ChildRef | undefined {
  return reading.state.children.get(parent ?? "")?.ref;
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
  const parent = textIn(line, "parent_task_id");
  const ref = present({ id: task, call, parent, title: textIn(line, "description"), agent });
  const child = beginChild(reading, ref, { call, background: line.is_backgrounded === true });
  sayPrompt(reading, child, textIn(line, "prompt"));
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
  sayTask(reading, child, progress);
}

const RUNNING: ReadonlySet<string> = new Set(["pending", "running", "paused"]);

export function onTaskUpdated(reading: Reading, line: Fields): void {
  const child = reading.state.children.get(textIn(line, "task_id") ?? "");
  const patch = fieldsIn(line, "patch");
  const status = textIn(patch, "status");
  if (!child) return;
  if (patch.is_backgrounded === true) setChild(reading, { ...child, background: true });
  if (status !== undefined && !RUNNING.has(status)) finishChild(reading, child, status, textIn(patch, "error"));
}

/** The tasks that run in the background, all of them. One that is missing has ended, though no line said so. */
export function onBackgroundTasks(reading: Reading, line: Fields): void {
  const live = new Set(listIn(line, "tasks").map((task) => textIn(task, "task_id")));
  for (const [id, child] of reading.state.children) if (child.background && !live.has(id)) stopTask(reading, id);
  for (const id of reading.state.commands.keys()) if (!live.has(id)) stopTask(reading, id);
}

function stopTask(reading: Reading, id: string): void {
  onTaskNotification(reading, { task_id: id, status: "stopped" });
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
  if (child) setChild(reading, { ...child, over: true, background: false });
  reading.patch({ commands: withEntry(reading.state.commands, task, undefined) });
  reading.say({ type: "tool.done", call, ok: status === "completed", output }, child && starterOf(reading, child.ref));
}

export function finishChild(reading: Reading, child: Child, status: string, summary = ""): void {
  if (child.over) return;
  setChild(reading, { ...child, over: true });
  const failed = status === "failed";
  const error = { code: "agent_failed", message: summary || "the sub-agent failed without saying why" };
  const reason = failed ? "error" : status === "completed" ? "end_turn" : "cancelled";
  reading.say({ type: "turn.finished", reason, ...(failed ? { error } : {}) }, child.ref);
}

/** The turn of the session's own agent is over, and with it the sub-agents that do not work in the background. */
export function finishForeground(reading: Reading): void {
  for (const child of reading.state.children.values())
    if (!outlives(reading, child)) finishChild(reading, child, "stopped");
}

function outlives(reading: Reading, { background, over, ref }: Child): boolean {
  const starter = reading.state.children.get(ref.parent ?? "");
  return !over && (background || (starter !== undefined && outlives(reading, starter)));
}

/** Its call has returned: a sub-agent that goes on does so in the background. */
export function onChildReturned(reading: Reading, call: string, background: boolean, ok: boolean): void {
  const child = childByCall(reading, call);
  if (!child) return;
  if (background) setChild(reading, { ...child, background });
  else if (!child.background) finishChild(reading, child, ok ? "completed" : "stopped");
}

/** Whole blocks of a sub-agent's message: nothing of it is streamed. */
export function onChildBlocks(reading: Reading, line: Fields, call: string): void {
  let child = childOf(reading, line, call);
  const message = fieldsIn(line, "message");
  const id = textIn(message, "id") ?? "message";
  if (child.message?.guessed) child = { ...child, message: { id, count: 0 } };
  else if (child.message?.id !== id && !child.over) {
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

/** A sub-agent's call is asked about. The program may ask before it tells of the message with the call, which then is told here. */
export function announceCall(reading: Reading, agent: string | undefined, { call, tool, input }: Request): void {
  const child = reading.state.children.get(agent ?? "");
  if (!child || child.over || call === undefined || reading.state.calls.has(call)) return;
  // A message goes on until a result of its calls has come.
  if (!child.message || child.message.answered) {
    const step = `${call}:step`;
    sayOfChild(reading, child, { type: "step.begun", step });
    setChild(reading, { ...child, message: { id: step, count: 0, guessed: true } });
  }
  sayCall(reading, child, call, tool, input);
}

/** A result of a sub-agent's call has come: its next words are another message. */
export function onChildAnswered(reading: Reading, { ref }: Child): void {
  const child = reading.state.children.get(ref.id);
  if (child?.message) setChild(reading, { ...child, message: { ...child.message, answered: true } });
}

function sayCall(reading: Reading, child: Child, call: string, name: string, input: Fields): void {
  reading.patch({ calls: withEntry(reading.state.calls, call, { name, input }) });
  const title = toolTitle(name, input, reading.state.directory);
  sayOfChild(reading, child, { type: "tool.running", call, name, input, ...present({ title }) });
}

function sayBlock(reading: Reading, child: Child, block: Fields, item: string): void {
  const type = textIn(block, "type");
  const call = textIn(block, "id");
  if (isToolUse(type) && call !== undefined)
    return sayCall(reading, child, call, textIn(block, "name") ?? "unknown", fieldsIn(block, "input"));
  const text = textIn(block, type ?? "");
  if (!text) return;
  if (type === "text")
    sayOfChild(reading, child, { type: "text.done", item, kind: "message", role: "assistant", text });
  if (type === "thinking") sayOfChild(reading, child, { type: "text.done", item, kind: "reasoning", text });
}
