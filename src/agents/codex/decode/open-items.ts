import { withEntry } from "../../../core/entries.ts";
import { type Fields, numberIn, textIn } from "../../../core/json/fields.ts";
import { type Item, itemKey, type Reading, type Thread } from "./state.ts";
import { inStep } from "./steps.ts";

/** Kinds of items that the model did not say. */
const NOT_OF_MODEL: ReadonlySet<string> = new Set([
  "userMessage",
  "hookPrompt",
  "subAgentActivity",
  "contextCompaction",
  "functionCallOutput",
]);

const WORDS: ReadonlySet<string> = new Set(["agentMessage", "plan", "reasoning", "exitedReviewMode"]);

/** An item of the open turn, and how it is known. */
export interface Known {
  thread: Thread;
  item: Item;
  /** The line told of it for the first time. */
  fresh: boolean;
}

export function setItem(reading: Reading, thread: Thread, id: string, item: Item): Thread {
  return thread.turn ? reading.setTurn(thread, { items: withEntry(thread.turn.items, id, item) }) : thread;
}

/** Whether a line is about the turn that is under way. Commands go on after their turn, and sub-agents, too. */
export function isOfTurn({ turn }: Thread, params: Fields): boolean {
  return turn !== undefined && (textIn(params, "turnId") ?? turn.id) === turn.id;
}

/** The key of an item that belongs to a turn which is over. */
export function pastKey(params: Fields, id: string): string {
  return itemKey(textIn(params, "turnId") ?? "", id);
}

function begin(reading: Reading, thread: Thread, id: string, type: string, told: Fields, at: string): Known {
  const stepped = NOT_OF_MODEL.has(type) ? thread : inStep(reading, thread, !WORDS.has(type));
  const began = numberIn(told, "startedAtMs");
  const item: Item = { key: at, type, over: false, told, ...(began === undefined ? {} : { began }) };
  return { thread: setItem(reading, stepped, id, item), item, fresh: true };
}

/** The item that a line tells whole. The same id with another time of its beginning is another item. */
export function toldItem(reading: Reading, thread: Thread, told: Fields): Known {
  const id = textIn(told, "id") ?? "item";
  const type = textIn(told, "type") ?? "unknown";
  const { turn } = thread;
  const known = turn?.items.get(id);
  const began = numberIn(told, "startedAtMs");
  if (known && (began === undefined || known.began === undefined || known.began === began))
    return { thread, item: known, fresh: false };
  const key = itemKey(turn?.id ?? "", id);
  return begin(reading, thread, id, type, told, known ? `${key}@${began}` : key);
}

/** The item that a delta belongs to; a delta may come before its item. */
export function itemOf(reading: Reading, thread: Thread, params: Fields, type: string): Known {
  const id = textIn(params, "itemId") ?? "item";
  const known = thread.turn?.items.get(id);
  if (known) return { thread, item: known, fresh: false };
  return begin(reading, thread, id, type, {}, itemKey(thread.turn?.id ?? "", id));
}
