import type { PlanEntry } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, listIn, textIn } from "../../../core/json/fields.ts";
import type { AgentCommand } from "../../contract.ts";
import { wordsOf } from "./content.ts";
import type { DecodeState, Say } from "./state.ts";
import { closeTexts } from "./texts.ts";

const STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;
const PRIORITIES = ["high", "medium", "low"] as const;
const LEVELS: ReadonlyMap<unknown, "warn" | "error"> = new Map([
  ["error", "error"],
  ["warning", "warn"],
  ["warn", "warn"],
]);

/** More of a summary is left out, and of more compactions at once the oldest. */
const MOST_SUMMARY = 256_000;
const MOST_SUMMARIES = 4;

function entryOf(entry: Fields): PlanEntry {
  const status = STATUSES.find((one) => one === entry.status) ?? "pending";
  const priority = PRIORITIES.find((one) => one === entry.priority);
  return { text: textIn(entry, "content") ?? "", status, ...(priority ? { priority } : {}) };
}

export function onPlan(state: DecodeState, update: Fields, say: Say): void {
  if (state.place === "left_out") return;
  say({ type: "plan", entries: listIn(update, "entries").map(entryOf) });
}

/** The title may come at any time, also after the turn that gave it. */
export function onInfo(_: DecodeState, update: Fields, say: Say): void {
  const title = textIn(update, "title")?.trim();
  if (title) say({ type: "session", title });
}

export function onNotice(state: DecodeState, update: Fields, say: Say): void {
  const words = [textIn(update, "title"), textIn(update, "description")].filter((word) => word);
  if (words.length === 0 || state.place === "left_out" || state.place === "past") return;
  say({ type: "note", level: LEVELS.get(update.severity) ?? "info", text: words.join("\n"), code: "notice" });
}

/** A compaction is a status while it lasts. How it ended is told by a note, and before the status is over. */
export function onCompaction(state: DecodeState, update: Fields, say: Say): void {
  if (state.place !== "turn") return;
  if (update.status === "in_progress") return say({ type: "status", status: "compacting" });
  const id = textIn(update, "compactionId") ?? "";
  const summary = listIn(update, "summary").map(wordsOf).join("") || (state.summaries.get(id) ?? "");
  state.summaries.delete(id);
  // Nothing else may have begun it.
  say({ type: "status", status: "compacting" });
  if (update.status === "failed") {
    const text = textIn(update, "error") || "the conversation could not be compacted";
    say({ type: "note", level: "error", text, code: "compaction_failed" });
  } else if (update.status === "cancelled") {
    say({ type: "note", level: "info", text: "the compaction was stopped", code: "compaction_stopped" });
  } else {
    if (summary !== "") saySummary(state, summary, say);
    say({ type: "note", level: "info", text: "the conversation was compacted", code: "compaction" });
  }
  say({ type: "status", status: "running" });
}

/** A summary is a step of its own. It is told when it is whole: that of a compaction that fails stands for nothing. */
function saySummary(state: DecodeState, summary: string, say: Say): void {
  closeTexts(state, say);
  const key = `${state.prefix}:summary:${++state.items}`;
  say({ type: "step.begun", step: key, summary: true });
  say({ type: "text", item: key, kind: "message", role: "assistant", delta: summary });
  say({ type: "text.done", item: key });
  say({ type: "step.finished", step: key });
}

/** A piece of a compaction's summary. The first one begins the compaction, where nothing else has. */
export function onSummary(state: DecodeState, update: Fields, say: Say): void {
  if (state.place !== "turn") return;
  const id = textIn(update, "compactionId") ?? "";
  const before = state.summaries.get(id) ?? "";
  if (state.summaries.size === 0) say({ type: "status", status: "compacting" });
  if (before.length < MOST_SUMMARY) state.summaries.set(id, before + wordsOf(fieldsIn(update, "content")));
  for (const [oldest] of state.summaries) {
    if (state.summaries.size <= MOST_SUMMARIES) break;
    state.summaries.delete(oldest);
  }
}

/** The commands of an update, by the names that a prompt calls them by. */
export function commandsOf(update: Fields): AgentCommand[] {
  return listIn(update, "availableCommands").flatMap((one) => {
    const name = textIn(one, "name")?.replace(/^\//, "");
    if (!name) return [];
    const [description, hint] = [textIn(one, "description"), textIn((one.input ?? {}) as Fields, "hint")];
    return [{ name, ...(description ? { description } : {}), ...(hint ? { hint } : {}) }];
  });
}
