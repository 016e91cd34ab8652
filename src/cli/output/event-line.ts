import type { StreamEvent } from "../../client/index.ts";
import type { Item } from "../../core/events/items.ts";
import { safeLine } from "./safe-text.ts";

function itemText(item: Item): string {
  switch (item.kind) {
    case "message":
      return `${item.role}: ${item.text ?? ""}`;
    case "tool_call":
      return `${item.name} ${item.title ?? ""} (${item.status})`;
    case "tool_result":
      return `result: ${item.text ?? ""}`;
    default:
      return `${item.kind}: ${item.text ?? ""}`;
  }
}

function summary(event: StreamEvent): string {
  switch (event.type) {
    case "item.started":
    case "item.completed":
      return itemText(event.data.item);
    case "item.delta":
      return event.data.delta ?? event.data.replace ?? "";
    case "session.note":
      return event.data.text;
    case "turn.ended":
      return [event.data.reason, event.data.error?.message].filter(Boolean).join(": ");
    case "error":
      return `${event.data.code}: ${event.data.message}`;
    case "gap":
      return `numbers ${event.data.after + 1} to ${event.data.first - 1} are no longer kept`;
    default:
      return JSON.stringify(event.data);
  }
}

/** An event in one line, for a person who looks on. */
export function eventLine(event: StreamEvent): string {
  const clock = event.type === "gap" ? "--:--:--.---" : new Date(event.time).toISOString().slice(11, 23);
  return `${String(event.seq).padStart(5)}  ${clock}  ${event.type.padEnd(20)}  ${safeLine(summary(event))}\n`;
}
