import { type Fields, numberIn, textIn } from "../../../core/json/fields.ts";
import type { Signal, TextKind } from "../../../core/ledger/signals.ts";
import { isOfTurn, itemOf, setItem } from "./open-items.ts";
import type { Item, Reading, Thread } from "./state.ts";

const whose = (kind: TextKind) => (kind === "message" ? ({ kind, role: "assistant" } as const) : ({ kind } as const));

/** Words of an answer, or of a proposed plan, which is an answer, too. */
export function onMessageDelta(reading: Reading, params: Fields, thread: Thread): void {
  const delta = textIn(params, "delta");
  if (!delta || !isOfTurn(thread, params)) return;
  const { item, thread: now } = itemOf(reading, thread, params, "agentMessage");
  reading.say({ type: "text", item: item.key, ...whose("message"), delta }, now);
}

/** The model's own words of its reasoning are an item beside their summary. */
const rawKey = (key: string): string => `${key}:raw`;

/** Reasoning comes in parts, each a paragraph. */
export function onReasoningDelta(reading: Reading, params: Fields, thread: Thread): void {
  const delta = textIn(params, "delta");
  if (!delta || !isOfTurn(thread, params)) return;
  const { item, thread: now } = itemOf(reading, thread, params, "reasoning");
  const raw = numberIn(params, "contentIndex");
  const part = raw ?? numberIn(params, "summaryIndex") ?? 0;
  const gap = item.part !== undefined && part > item.part ? "\n\n" : "";
  const key = raw === undefined ? item.key : rawKey(item.key);
  reading.say({ type: "text", item: key, ...whose("reasoning"), delta: `${gap}${delta}` }, now);
  if (item.part !== part) setItem(reading, now, textIn(params, "itemId") ?? "item", { ...item, part });
}

function paragraphs(item: Fields, name: string): string {
  const value = item[name];
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("\n\n") : "";
}

function done(item: string, kind: TextKind, text: string): Signal {
  return { type: "text.done", item, ...whose(kind), text };
}

/** The whole words of an item; none for an item of another kind. */
export function wordsDone({ key }: Pick<Item, "key">, told: Fields): Signal[] {
  switch (textIn(told, "type")) {
    case "agentMessage":
    case "plan":
      return [done(key, "message", textIn(told, "text") ?? "")];
    case "exitedReviewMode":
      return [done(key, "message", textIn(told, "review") ?? "")];
    case "reasoning":
      return [
        done(key, "reasoning", paragraphs(told, "summary")),
        done(rawKey(key), "reasoning", paragraphs(told, "content")),
      ];
    default:
      return [];
  }
}

/** An item whose words are still coming. */
export function isOpenText({ type, over }: Item): boolean {
  return !over && (type === "agentMessage" || type === "plan" || type === "reasoning");
}

/** The model's reply broke off, and the program asks for it again: words that were not whole are taken back. */
export function retractTexts(reading: Reading, thread: Thread): void {
  let now = thread;
  for (const [id, item] of thread.turn?.items ?? []) {
    if (!isOpenText(item)) continue;
    for (const key of item.type === "reasoning" ? [item.key, rawKey(item.key)] : [item.key])
      reading.say({ type: "text.retracted", item: key }, thread);
    now = setItem(reading, now, id, { ...item, over: true });
  }
}
