import type { Draft, ParleyEvent } from "../events/event.ts";
import type { Item } from "../events/items.ts";
import { NewIds } from "./new-ids.ts";

/** Facts of the session itself are its own, and what was never understood is of no use to another. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "agent.unparsed",
  "session.note",
  "session.limits",
  "prompt.withdrawn",
  "history.cut",
]);

function isOfSession({ type }: ParleyEvent): boolean {
  return type === "session.started" || type === "session.updated" || type === "session.ended";
}

/** Where a message begins: its turn, its step, or itself where it was given to a running turn. */
function begins(event: ParleyEvent, message: string): boolean {
  switch (event.type) {
    case "turn.started":
      return [event.data.prompt, ...(event.data.context ?? [])].some((prompt) => prompt?.id === message);
    case "step.started":
      return event.data.id === message;
    case "item.started":
      return event.data.item.id === message;
    default:
      return false;
  }
}

/** Prompts that have become part of a turn. */
function begunIn(events: readonly ParleyEvent[]): Set<string> {
  return new Set(
    events.flatMap((event) => {
      if (event.type !== "turn.started") return [];
      return [event.data.prompt, ...(event.data.context ?? [])].flatMap((prompt) => prompt?.id ?? []);
    }),
  );
}

/** Things of a turn that were begun and not ended: what is cut off in the middle cannot be kept. */
function unfinished(events: readonly ParleyEvent[]): { open: Set<string>; turn?: ParleyEvent; step?: ParleyEvent } {
  const open = new Set<string>();
  let turn: ParleyEvent | undefined;
  let step: ParleyEvent | undefined;
  for (const event of events) {
    if (event.type === "turn.started") turn = event;
    if (event.type === "turn.ended") turn = undefined;
    if (event.type === "step.started") step = event;
    if (event.type === "step.ended") step = undefined;
    if (event.type === "item.started") open.add(event.data.item.id);
    if (event.type === "item.completed") open.delete(event.data.item.id);
    if (event.type === "permission.requested" || event.type === "question.requested") open.add(event.data.ask);
    if (event.type === "permission.resolved" || event.type === "question.resolved") open.delete(event.data.ask);
  }
  return { open, ...(turn ? { turn } : {}), ...(step ? { step } : {}) };
}

function idOf(event: ParleyEvent): string | undefined {
  switch (event.type) {
    case "item.started":
    case "item.completed":
      return event.data.item.id;
    case "item.updated":
    case "item.delta":
      return event.data.item;
    case "permission.requested":
    case "permission.resolved":
    case "question.requested":
    case "question.resolved":
      return event.data.ask;
    default:
      return undefined;
  }
}

/** The text that an item's deltas would have given. */
function streamed(item: Item): string {
  if (item.kind === "message") return item.role === "user" ? "" : (item.text ?? "");
  return item.kind === "reasoning" || item.kind === "tool_result" ? (item.text ?? "") : "";
}

/** A turn that was cut in its middle ends there. */
function endOf({ turn, step }: ReturnType<typeof unfinished>, time: number): ParleyEvent[] {
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
 * The history of a session for another one, with ids of its own: all of it but for a turn that is still open, or only
 * what came before a message. Undefined when there is no such message.
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
  const begun = begunIn(events);
  const drafts: Draft[] = [];
  for (const event of events) {
    if (isOfSession(event) || LEFT_OUT.has(event.type) || event.type === "item.delta") continue;
    if (open.has(idOf(event) ?? "")) continue;
    if (event.type === "prompt.queued" && !begun.has(event.data.prompt.id)) continue;
    const draft = ids.draft(event);
    if (draft.type === "item.completed" && streamed(draft.data.item) !== "") {
      const data = { item: draft.data.item.id, field: "text", delta: streamed(draft.data.item) } as const;
      drafts.push({ ...draft, type: "item.delta", data });
    }
    drafts.push(draft);
  }
  return drafts;
}
