import type { ModelMessage } from "ai";
import type { ParleyEvent } from "../../../core/events/event.ts";
import type { Item, MessageItem, ToolCallItem, ToolResultItem } from "../../../core/events/items.ts";
import { summaryMessage } from "../turn/compaction.ts";
import { type AssistantPart, callPart, resultPart, stepMessages } from "./conversation.ts";
import { pastParts } from "./prompt-parts.ts";

interface PastStep {
  /** Its text stands for the conversation before it. */
  summary: boolean;
  /** By the order in which they began. */
  items: Item[];
  results: Map<string, ToolResultItem>;
  /** The user's words while it ran: the model saw them before the next step. */
  after: MessageItem[];
}

interface PastTurn {
  /** The turn is a task, such as a compaction, and no prompt to the agent. */
  task: boolean;
  before: MessageItem[];
  steps: Map<number, PastStep>;
}

function stepOf(turn: PastTurn, number: number): PastStep {
  const step = turn.steps.get(number) ?? { summary: false, items: [], results: new Map(), after: [] };
  turn.steps.set(number, step);
  return step;
}

function addItem(turn: PastTurn, item: Item): void {
  if (item.kind === "message" && item.role === "user") {
    const last = [...turn.steps.values()].at(-1);
    (last ? last.after : turn.before).push(item);
  } else if (item.kind === "tool_result") {
    stepOf(turn, item.step ?? 0).results.set(item.call, item);
  } else if (item.kind === "message" || item.kind === "tool_call") {
    stepOf(turn, item.step ?? 0).items.push(item);
  }
}

/** The tasks of turns that the agent did not answer. */
function tasksIn(events: readonly ParleyEvent[]): Map<string | undefined, string | undefined> {
  return new Map(
    events.flatMap((event) => (event.type === "turn.started" ? [[event.turn, event.data.prompt?.task?.type]] : [])),
  );
}

/** The turns in their order, each item as it was in the end and where it began. */
function turnsOf(events: readonly ParleyEvent[]): PastTurn[] {
  const tasks = tasksIn(events);
  const completed = new Map<string, Item>();
  for (const event of events) {
    if (event.type === "item.completed") completed.set(event.data.item.id, event.data.item);
  }
  const turns = new Map<string, PastTurn>();
  for (const event of events) {
    // The next prompt tells of shell turns.
    if (event.turn === undefined || tasks.get(event.turn) === "shell") continue;
    if (event.type !== "item.started" && event.type !== "step.started") continue;
    const turn = turns.get(event.turn) ?? { task: tasks.get(event.turn) !== undefined, before: [], steps: new Map() };
    turns.set(event.turn, turn);
    if (event.type === "step.started") {
      if (event.data.summary) stepOf(turn, event.data.step).summary = true;
      continue;
    }
    const item = completed.get(event.data.item.id);
    if (item && item.status !== "retracted") addItem(turn, item);
  }
  return [...turns.values()];
}

function userMessage(item: MessageItem): ModelMessage {
  return { role: "user", content: pastParts(item.content ?? [{ type: "text", text: item.text ?? "" }]) };
}

/** Whether the model completed a call: only then does it have its input. */
function isWhole(item: ToolCallItem): boolean {
  return item.input !== undefined;
}

function partOf(item: Item): AssistantPart[] {
  if (item.kind === "message" && item.text?.trim()) return [{ type: "text", text: item.text }];
  if (item.kind !== "tool_call" || !isWhole(item)) return [];
  return [callPart(item.call, item.name, item.input)];
}

/** The result of a call as the model gets it. A failed call's output alone would not say that it failed. */
function outputOf(call: ToolCallItem, result: ToolResultItem | undefined): { ok: boolean; output: string } {
  const written = result?.text ?? "";
  const why = call.error?.message ?? "";
  if (call.status === "completed" || written.includes(why)) return { ok: call.status === "completed", output: written };
  return { ok: false, output: written === "" ? why : `${written}\n(${why})` };
}

function messagesOf({ items, results, after }: PastStep): ModelMessage[] {
  const calls = items.filter((item) => item.kind === "tool_call").filter(isWhole);
  const told = calls.map((call) => resultPart(call.call, call.name, outputOf(call, results.get(call.call))));
  return [...stepMessages(items.flatMap(partOf), told), ...after.map(userMessage)];
}

/** The text of a summary that was given to its end. */
function summaryOf({ summary, items }: PastStep): string | undefined {
  if (!summary) return undefined;
  const said = items.filter((item) => item.kind === "message").filter(({ status }) => status === "completed");
  const text = said.map((item) => item.text ?? "").join("\n");
  return text.trim() || undefined;
}

/** Adds a turn to a conversation; where it was summarised, the summary takes the place of all before it. */
function addTurn(messages: ModelMessage[], { task, before, steps }: PastTurn): ModelMessage[] {
  const asked = task ? [] : before.map(userMessage);
  let all = [...messages, ...asked];
  for (const step of steps.values()) {
    const summary = summaryOf(step);
    if (summary !== undefined) all = [summaryMessage(summary), ...asked];
    const more = step.after.map(userMessage);
    all.push(...(step.summary ? more : messagesOf(step)));
    asked.push(...more);
  }
  return all;
}

/** The conversation that a session's events hold, as a model takes it. Reasoning is left out: it is signed and cannot be said again. */
export function conversationOf(events: readonly ParleyEvent[]): ModelMessage[] {
  const messages = turnsOf(events).reduce(addTurn, []);
  // The beginning may be forgotten, in the middle of a turn; a conversation must begin with the user.
  const first = messages.findIndex(({ role }) => role === "user");
  return first < 0 ? [] : messages.slice(first);
}

/** How full the model's context was when it was last asked. */
export function contextIn(events: readonly ParleyEvent[]): { used?: number } {
  const last = events.findLast((event) => event.type === "step.ended" && event.data.usage?.context !== undefined);
  const used = last?.type === "step.ended" ? last.data.usage?.context?.used : undefined;
  return used === undefined ? {} : { used };
}

/** The ids of calls that were made: a model may use one of them again, and must not be taken for repeating itself. */
export function callsIn(events: readonly ParleyEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "item.started" && event.data.item.kind === "tool_call" ? [event.data.item.call] : [],
  );
}
