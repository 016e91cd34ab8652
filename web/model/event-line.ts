import type { ParleyEvent } from "../../src/core/events/event.ts";
import { isFields } from "../../src/core/json/fields.ts";

const MAX = 160;

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX ? `${line.slice(0, MAX)}…` : line;
}

/** The fields of an event's data that say most about it, the first that is there counts. */
const TELLING = [
  "delta",
  "replace",
  "text",
  "title",
  "command",
  "message",
  "name",
  "reason",
  "status",
  "outcome",
  "action",
  "prompt",
  "model",
];

function tell(data: unknown): string {
  if (!isFields(data)) return "";
  const { item } = data;
  if (isFields(item))
    return [item.kind, item.role ?? item.name, item.status, tell({ text: item.text })].filter(Boolean).join(" ");
  for (const name of TELLING) {
    const value = data[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

/** An event in one line, for a list. */
export function eventLine({ data }: Pick<ParleyEvent, "data">): string {
  return oneLine(tell(data));
}

/** Whether an event fits a filter: each word is in its type, its number or its data. */
export function eventFits(event: Pick<ParleyEvent, "seq" | "type" | "data" | "turn">, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = `${event.type} #${event.seq} ${event.turn ?? ""} ${JSON.stringify(event.data)}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** A command line that reads this event from the server. Quotes of a shell protect what is in it. */
export function curlFor(origin: string, session: string, seq: number): string {
  const url = `${origin}/v1/sessions/${encodeURIComponent(session)}/events?after=${seq - 1}&limit=1&native=true`;
  return `curl -sS -H "Authorization: Bearer $PARLEY_TOKEN" '${url.replaceAll("'", "%27")}'`;
}
