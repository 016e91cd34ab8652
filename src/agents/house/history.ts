import type { ModelMessage } from "ai";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { Item, MessageItem, ToolCallItem, ToolResultItem } from "../../core/events/items.ts";
import { type AssistantPart, callPart, resultPart, stepMessages } from "./conversation.ts";
import { pastParts } from "./prompt-parts.ts";

interface PastStep {
  /** By the order in which they began. */
  items: Item[];
  results: Map<string, ToolResultItem>;
  /** What the user said while it ran: the model saw it before the next step. */
  after: MessageItem[];
}

interface PastTurn {
  before: MessageItem[];
  steps: Map<number, PastStep>;
}

function stepOf(turn: PastTurn, number: number): PastStep {
  const step = turn.steps.get(number) ?? { items: [], results: new Map(), after: [] };
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

/** Commands that the user ran: the next prompt tells of them. */
function shellTurns(events: readonly ParleyEvent[]): Set<string | undefined> {
  const shells = events.filter((event) => event.type === "turn.started" && event.data.prompt?.task?.type === "shell");
  return new Set(shells.map(({ turn }) => turn));
}

/** The turns in their order, each item as it was in the end and where it began. */
function turnsOf(events: readonly ParleyEvent[]): PastTurn[] {
  const shells = shellTurns(events);
  const completed = new Map<string, Item>();
  for (const event of events) {
    if (event.type === "item.completed") completed.set(event.data.item.id, event.data.item);
  }
  const turns = new Map<string, PastTurn>();
  for (const event of events) {
    if (event.type !== "item.started" || event.turn === undefined || shells.has(event.turn)) continue;
    const item = completed.get(event.data.item.id);
    if (!item || item.status === "retracted") continue;
    const turn = turns.get(event.turn) ?? { before: [], steps: new Map() };
    turns.set(event.turn, turn);
    addItem(turn, item);
  }
  return [...turns.values()];
}

function userMessage(item: MessageItem): ModelMessage {
  return { role: "user", content: pastParts(item.content ?? [{ type: "text", text: item.text ?? "" }]) };
}

/** A call whose input never came was none that the model could know of. */
function isWhole(item: ToolCallItem): boolean {
  return item.input !== undefined;
}

function partOf(item: Item): AssistantPart[] {
  if (item.kind === "message" && item.text?.trim()) return [{ type: "text", text: item.text }];
  if (item.kind !== "tool_call" || !isWhole(item)) return [];
  return [callPart(item.call, item.name, item.input)];
}

/** What a tool wrote before it failed does not say that it did. */
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

/** The conversation that a session's events hold, as a model takes it. Reasoning is left out: it is signed and cannot be said again. */
export function conversationOf(events: readonly ParleyEvent[]): ModelMessage[] {
  const messages = turnsOf(events).flatMap(({ before, steps }) => [
    ...before.map(userMessage),
    ...[...steps.values()].flatMap(messagesOf),
  ]);
  // The beginning may be forgotten, in the middle of a turn; a conversation must begin with the user.
  const first = messages.findIndex(({ role }) => role === "user");
  return first < 0 ? [] : messages.slice(first);
}

/** The ids of calls that were made: a model may use one of them again, and must not be taken for repeating itself. */
export function callsIn(events: readonly ParleyEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "item.started" && event.data.item.kind === "tool_call" ? [event.data.item.call] : [],
  );
}
