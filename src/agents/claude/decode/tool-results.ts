import { withEntry } from "../../../core/entries.ts";
import type { PlanEntry } from "../../../core/events/values.ts";
import { type Fields, isFields, listIn, textIn } from "../../../core/json/fields.ts";
import type { ChildRef } from "../../contract.ts";
import { onChildReturned } from "./children.ts";
import { filesOf } from "./files.ts";
import { planAfter } from "./plan.ts";
import { type Reading, without } from "./state.ts";

const REFUSED_BY_INTERRUPT = "User rejected tool use";

function textOfContent(block: Fields): string {
  const { content } = block;
  if (typeof content === "string") return content;
  return listIn(block, "content")
    .flatMap((part) => textIn(part, "text") ?? [])
    .join("\n");
}

/** Pictures and the like, as they are; plain text needs no second telling. */
function richContent(block: Fields): Fields[] | undefined {
  const parts = listIn(block, "content");
  return parts.some((part) => part.type !== "text") ? parts : undefined;
}

/** The task that goes on after its call, if one does. */
function backgroundTask(structured: Fields): string | undefined {
  if (structured.isAsync === true || structured.status === "async_launched") return textIn(structured, "agentId");
  return textIn(structured, "backgroundTaskId");
}

function failureCode(reading: Reading, call: string, structured: unknown): string {
  if (structured === REFUSED_BY_INTERRUPT) return "interrupted";
  return reading.state.refused.has(call) ? "rejected" : "tool_failed";
}

/** The result of a tool. `structured` is the program's own account of it, which sub-agents' results lack. */
export function onToolResult(reading: Reading, block: Fields, structured: unknown, child?: ChildRef): void {
  const call = textIn(block, "tool_use_id");
  if (call === undefined) return;
  const { name = "unknown", input = {} } = reading.state.calls.get(call) ?? {};
  const ok = block.is_error !== true;
  const output = textOfContent(block);
  const account = isFields(structured) ? structured : {};
  const task = backgroundTask(account);
  if (task !== undefined && !child) {
    // The words about the start of a sub-agent are for the model alone.
    if (account.isAsync !== true) reading.say({ type: "tool.output", call, delta: output });
    reading.say({ type: "tool.backgrounded", call });
    if (name === "Bash") reading.patch({ commands: withEntry(reading.state.commands, task, call) });
  } else {
    const files = ok ? filesOf(name, input, account, reading.state.directory) : [];
    const content = richContent(block);
    const error = { code: failureCode(reading, call, structured), message: output || "the tool failed" };
    const more = { ...(content ? { content } : {}), ...(files.length > 0 ? { files } : {}), ...(ok ? {} : { error }) };
    reading.say({ type: "tool.done", call, ok, output, ...more }, child);
  }
  onChildReturned(reading, call, task !== undefined, ok);
  if (ok) sayPlan(reading, planAfter(child ? new Map() : reading.state.tasks, name, input, account), child);
  reading.patch({
    calls: withEntry(reading.state.calls, call, undefined),
    refused: without(reading.state.refused, call),
  });
}

function sayPlan(reading: Reading, plan: ReadonlyMap<string, PlanEntry> | undefined, child?: ChildRef): void {
  if (!plan) return;
  if (!child) reading.patch({ tasks: plan });
  reading.say({ type: "plan", entries: [...plan.values()] }, child);
}
