import { type Fields, fieldsIn, listIn, present, textIn } from "../../../core/json/fields.ts";
import type { ChildRef } from "../../contract.ts";
import { type DecodeState, itemKey, type Reading, type Thread } from "./state.ts";
import { inStep } from "./steps.ts";

/** The last part of a sub-agent's path: `/root/look` is `look`. */
function nameOf(path: string | undefined): string | undefined {
  return path?.split("/").findLast((part) => part !== "");
}

/** Whether a thread cannot be a sub-agent of another: it is the session's own, or that one itself, or one above it. */
function isAbove(state: DecodeState, id: string, thread: Thread): boolean {
  const { parent } = thread.child ?? {};
  const above = parent === undefined ? undefined : state.threads.get(parent);
  return id === state.root || id === thread.id || (above !== undefined && isAbove(state, id, above));
}

/** A sub-agent of a thread: its own thread's signals carry its name from now on. */
function adopt(reading: Reading, parent: Thread, id: string, facts: Omit<ChildRef, "id" | "parent">): Thread {
  const known = reading.thread(id);
  const child: ChildRef = { ...known.child, id, ...present({ parent: parent.child?.id }), ...facts };
  const thread = { ...known, child };
  reading.setThread(thread);
  return thread;
}

/** The call by which a sub-agent was started goes on until the sub-agent's first turn is over. */
function sayCall(reading: Reading, parent: Thread, call: string, { title, agent }: Partial<ChildRef>, prompt?: string) {
  const input = present({ agent, prompt });
  reading.say({ type: "tool.running", call, name: "spawn_agent", ...present({ title }), input }, parent);
}

/** A sub-agent was started, or has ended. The program tells of it by an item that is complete at once. */
export function onSubAgentActivity(reading: Reading, params: Fields, parent: Thread): void {
  const item = fieldsIn(params, "item");
  const [kind, id] = [textIn(item, "kind"), textIn(item, "agentThreadId")];
  if (kind !== "started" || id === undefined || reading.state.threads.get(id)?.child?.call !== undefined) return;
  if (!parent.turn || isAbove(reading.state, id, parent)) return;
  const name = nameOf(textIn(item, "agentPath"));
  const call = itemKey(parent.turn.id, textIn(item, "id") ?? id);
  const facts = { call, ...present({ title: name, agent: name }) };
  adopt(reading, inStep(reading, parent, true), id, facts);
  sayCall(reading, parent, call, facts);
}

/** Other models start sub-agents by a call that names their threads. Returns whether the call goes on as long as the sub-agent. */
export function onCollabCall(reading: Reading, item: Fields, call: string, parent: Thread): boolean {
  if (item.tool !== "spawnAgent" || item.status === "failed") return false;
  const { receiverThreadIds: ids } = item;
  const [id] = Array.isArray(ids) ? ids : [];
  if (typeof id !== "string") return item.status === "inProgress";
  if (isAbove(reading.state, id, parent)) return false;
  if (reading.state.threads.get(id)?.child?.call === call) return true;
  const prompt = textIn(item, "prompt");
  const child = adopt(reading, parent, id, { call, ...present({ title: prompt?.split("\n", 1)[0] }) });
  if (prompt)
    reading.say({ type: "text.done", item: `${call}:prompt`, kind: "message", role: "user", text: prompt }, child);
  return true;
}

/** A turn of a sub-agent is over: if it was the first, so is the call by which it was started. */
export function onChildTurnOver(reading: Reading, thread: Thread, turn: Fields): void {
  const { child, returned } = thread;
  if (child?.call === undefined || returned) return;
  reading.setThread({ ...thread, returned: true });
  const text = listIn(turn, "items").findLast((item) => item.type === "agentMessage");
  const ok = turn.status === "completed";
  const why = textIn(fieldsIn(turn, "error"), "message") ?? "the sub-agent was stopped";
  const said = ok ? { output: textIn(text ?? {}, "text") ?? "" } : { error: { code: "agent_failed", message: why } };
  const starter = reading.thread(child.parent ?? reading.state.root ?? "");
  reading.say({ type: "tool.done", call: child.call, ok, ...said }, starter);
}

/** The calls of a thread whose sub-agents still work. */
export function openSpawns({ threads }: DecodeState, parent: Thread): string[] {
  return [...threads.values()].flatMap(({ child, returned }) => {
    const own = child?.call !== undefined && !returned && child.parent === parent.child?.id;
    return own ? [child.call ?? ""] : [];
  });
}
