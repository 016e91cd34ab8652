import type { EventOf, ParleyEvent } from "../../../src/core/events/event.ts";
import type { Item } from "../../../src/core/events/items.ts";
import { present } from "../../../src/core/json/fields.ts";

/** A text that comes in pieces. `whole`: nothing that came before the pieces belongs to it. */
interface Streamed {
  text: string;
  whole: boolean;
}

/** The events of an item that has not completed, taken together. */
interface OpenPart {
  started?: Item;
  /** Of deltas whose item began before the events that were read. */
  guessed?: Item;
  changes?: Partial<Item>;
  text?: Streamed;
  input?: Streamed;
}

/** All that a run of events says of one item. */
export interface Part {
  id: string;
  /** Number and time of the first of the events. */
  at: number;
  began: number;
  /** When it was completed. */
  ended?: number;
  /** The item as it is to be shown; absent while the events do not say what it is. */
  item?: Item;
  /** The input of a call while it is being written. */
  inputText?: string;
  open?: OpenPart;
}

function joinStreamed(older: Streamed | undefined, newer: Streamed | undefined): Streamed | undefined {
  if (!older || newer?.whole) return newer;
  return newer ? { text: older.text + newer.text, whole: older.whole } : older;
}

function itemOf({ started, guessed, changes, text }: OpenPart): Item | undefined {
  const base = started ?? guessed;
  if (!base) return undefined;
  return { ...base, ...changes, ...(text ? { text: text.text } : {}) } as Item;
}

function openPart(id: string, { seq, time }: Pick<ParleyEvent, "seq" | "time">, open: OpenPart): Part {
  return present({ id, at: seq, began: time, item: itemOf(open), inputText: open.input?.text, open });
}

/** The two parts of one item as one part. */
export function joinParts(older: Part, newer: Part): Part {
  const { id, at, began } = older;
  if (!older.open) return older;
  if (!newer.open) return { ...newer, at, began };
  const { open: a } = older;
  const { open: b } = newer;
  const changes = a.changes || b.changes ? ({ ...a.changes, ...b.changes } as Partial<Item>) : undefined;
  const open: OpenPart = present({
    started: a.started ?? b.started,
    guessed: a.guessed ?? b.guessed,
    changes,
    text: joinStreamed(a.text, b.text),
    input: joinStreamed(a.input, b.input),
  });
  return present({ id, at, began, item: itemOf(open), inputText: open.input?.text, open });
}

function guessedBy({ item: id, kind, role = "assistant" }: EventOf<"item.delta">["data"]): Item | undefined {
  if (kind === "message") return { id, kind, role, status: "running" };
  return kind === "reasoning" ? { id, kind, status: "running" } : undefined;
}

function deltaPart(event: EventOf<"item.delta">): Part {
  const { item, field, delta = "", replace } = event.data;
  const streamed = { text: replace ?? delta, whole: replace !== undefined };
  return openPart(item, event, present({ guessed: guessedBy(event.data), [field]: streamed }) as OpenPart);
}

/** What one event says of its item. */
export function partOf(
  event: EventOf<"item.started"> | EventOf<"item.updated"> | EventOf<"item.delta"> | EventOf<"item.completed">,
): Part {
  switch (event.type) {
    case "item.started":
      return openPart(event.data.item.id, event, { started: event.data.item });
    case "item.updated": {
      const { item, ...changes } = event.data;
      return openPart(item, event, { changes: changes as Partial<Item> });
    }
    case "item.delta":
      return deltaPart(event);
    case "item.completed": {
      const { item } = event.data;
      return { id: item.id, at: event.seq, began: event.time, ended: event.time, item };
    }
  }
}
