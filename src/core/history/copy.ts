import type { EventData } from "../events/catalog.ts";
import type { Draft, ParleyEvent } from "../events/event.ts";
import type { Item } from "../events/items.ts";
import { NewIds } from "./new-ids.ts";
import { messagesOf } from "./turns.ts";

/** Whether a message begins with an event: its turn, its step, or its own item where it was given to a running turn. */
function begins(event: ParleyEvent, message: string): boolean {
  return event.type === "item.started" ? event.data.item.id === message : messagesOf(event).includes(message);
}

/** Things of a turn that were begun and not ended: an item or ask that is cut off in the middle cannot be kept. */
interface Unfinished {
  open: Set<string>;
  turn?: ParleyEvent | undefined;
  step?: ParleyEvent | undefined;
}

function unfinished(events: readonly ParleyEvent[]): Unfinished {
  const left: Unfinished = { open: new Set() };
  for (const event of events) {
    switch (event.type) {
      case "turn.started":
      case "turn.ended":
        left.turn = event.type === "turn.started" ? event : undefined;
        break;
      case "step.started":
      case "step.ended":
        left.step = event.type === "step.started" ? event : undefined;
        break;
      case "item.started":
        left.open.add(event.data.item.id);
        break;
      case "item.completed":
        left.open.delete(event.data.item.id);
        break;
      case "permission.requested":
      case "question.requested":
        left.open.add(event.data.ask);
        break;
      case "permission.resolved":
      case "question.resolved":
        left.open.delete(event.data.ask);
        break;
      default:
        event.type satisfies
          | `session.${"started" | "updated" | "ended" | "note" | "limits"}`
          | `prompt.${"queued" | "withdrawn"}`
          | `item.${"updated" | "delta"}`
          | `${"plan" | "usage"}.updated`
          | ("history.cut" | "turn.status" | "error" | "agent.unparsed");
    }
  }
  return left;
}

/** Whether the copy goes without an event: `open` are items and asks that were not ended, `begun` prompts that are in a turn. */
function isLeftOut(event: ParleyEvent, open: ReadonlySet<string>, begun: ReadonlySet<string>): boolean {
  switch (event.type) {
    // A session keeps its own facts, notes and unread lines for itself; completed items hold the text of their deltas.
    case "session.started":
    case "session.updated":
    case "session.ended":
    case "session.note":
    case "session.limits":
    case "history.cut":
    case "prompt.withdrawn":
    case "item.delta":
    case "agent.unparsed":
      return true;
    case "prompt.queued":
      return !begun.has(event.data.prompt.id);
    case "item.started":
    case "item.completed":
      return open.has(event.data.item.id);
    case "item.updated":
      return open.has(event.data.item);
    case "permission.requested":
    case "permission.resolved":
    case "question.requested":
    case "question.resolved":
      return open.has(event.data.ask);
    default:
      event.type satisfies
        | `turn.${"started" | "status" | "ended"}`
        | `step.${"started" | "ended"}`
        | `${"plan" | "usage"}.updated`
        | "error";
      return false;
  }
}

/** One delta in place of all those of an item; none for an item without them. */
export function deltaOf(item: Item): EventData["item.delta"] | undefined {
  if (item.kind === "tool_call" || item.kind === "status" || !item.text) return undefined;
  if (item.kind !== "message") return { item: item.id, kind: item.kind, field: "text", delta: item.text };
  if (item.role === "user") return undefined;
  return { item: item.id, kind: item.kind, role: item.role, field: "text", delta: item.text };
}

/** A turn that was cut in its middle ends there. */
function endOf({ turn, step }: Unfinished, time: number): ParleyEvent[] {
  if (!turn) return [];
  const common = { ...turn, time, source: "parley" } as const;
  const ended: ParleyEvent = { ...common, type: "turn.ended", data: { reason: "end_turn" } };
  if (step?.type !== "step.started") return [ended];
  return [{ ...common, type: "step.ended", data: { step: step.data.step, id: step.data.id } }, ended];
}

/** The turns that are no longer part of the conversation. */
export function cutTurns(events: readonly ParleyEvent[]): Set<string> {
  return new Set(events.flatMap((event) => (event.type === "history.cut" ? event.data.turns : [])));
}

/**
 * The events of a session as drafts for another one, with new ids: all but those of an open turn, or only those before a
 * message. Undefined when there is no such message.
 */
export function copyHistory(
  events: readonly ParleyEvent[],
  { before, without = [] }: { before?: string | undefined; without?: readonly string[] | undefined } = {},
): Draft[] | undefined {
  const cut = new Set([...cutTurns(events), ...without]);
  const visible = events.filter(({ turn }) => turn === undefined || !cut.has(turn));
  const waits = visible.some((event) => event.type === "prompt.queued" && event.data.prompt.id === before);
  const found = before === undefined ? -1 : visible.findIndex((event) => begins(event, before));
  if (before !== undefined && found < 0 && !waits) return undefined;
  const range = found < 0 ? visible : visible.slice(0, found);
  const left = unfinished(range);
  const kept = found < 0 ? range.filter(({ turn }) => turn === undefined || turn !== left.turn?.turn) : range;
  const time = kept.at(-1)?.time ?? 0;
  return draftsOf([...kept, ...(found < 0 ? [] : endOf(left, time))], left.open);
}

function draftsOf(events: readonly ParleyEvent[], open: ReadonlySet<string>): Draft[] {
  const ids = new NewIds();
  const begun = new Set(events.flatMap((event) => (event.type === "turn.started" ? messagesOf(event) : [])));
  const drafts: Draft[] = [];
  for (const event of events) {
    if (isLeftOut(event, open, begun)) continue;
    const draft = ids.draft(event);
    const data = draft.type === "item.completed" ? deltaOf(draft.data.item) : undefined;
    if (data) drafts.push({ ...draft, type: "item.delta", data });
    drafts.push(draft.type === "turn.ended" ? { ...draft, data: { ...draft.data, elsewhere: true } } : draft);
  }
  return drafts;
}
