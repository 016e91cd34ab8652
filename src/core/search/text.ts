import type { ParleyEvent } from "../events/event.ts";
import type { Item } from "../events/items.ts";
import type { PromptPart } from "../events/values.ts";

/** Characters of an event that are looked at: a search is bounded, however long the output of a tool is. */
export const MOST_TEXT = 32_000;
/** Values of a tool's input that are looked at. */
const MOST_VALUES = 500;

export const FOUND_KINDS = [
  "message",
  "reasoning",
  "tool_call",
  "tool_result",
  "status",
  "permission",
  "question",
  "title",
  "note",
  "error",
] as const;

export type FoundKind = (typeof FOUND_KINDS)[number];

/** An event as a search sees it. */
export interface Findable {
  kind: FoundKind;
  role?: "user" | "assistant" | "system";
  item?: string;
  text: string;
}

/** The types of events in which something can be found. */
const TYPES = [
  "session.started",
  "session.updated",
  "session.note",
  "item.completed",
  "permission.requested",
  "permission.resolved",
  "question.requested",
  "question.resolved",
  "error",
] as const;

export const FINDABLE_TYPES: ReadonlySet<string> = new Set(TYPES);

/** The text by which an event can be found; undefined where there is none. */
export function findable(event: ParleyEvent): Findable | undefined {
  const found = read(event);
  if (!found) return undefined;
  const text = joined(found.texts);
  if (text === "") return undefined;
  const { texts: _, ...rest } = found;
  return { ...rest, text };
}

type Texts = Omit<Findable, "text"> & { texts: (string | undefined)[] };

function read(event: ParleyEvent): Texts | undefined {
  switch (event.type) {
    case "session.started":
    case "session.updated":
      return { kind: "title", texts: [event.data.title] };
    case "session.note":
      return { kind: "note", texts: [event.data.text] };
    case "item.completed":
      return ofItem(event.data.item);
    case "permission.requested": {
      const { command, title, patterns } = event.data;
      return { kind: "permission", texts: [command, title, ...patterns] };
    }
    case "permission.resolved":
      return { kind: "permission", texts: [event.data.feedback] };
    case "question.requested": {
      const questions = event.data.questions.flatMap(({ header, question, options }) => [
        header,
        question,
        ...options.flatMap(({ label, description }) => [label, description]),
      ]);
      return { kind: "question", texts: questions };
    }
    case "question.resolved":
      return { kind: "question", texts: [...(event.data.answers?.flat() ?? []), event.data.feedback] };
    case "error":
      return { kind: "error", texts: [event.data.code, event.data.message] };
    default:
      event.type satisfies
        | `session.${"ended" | "limits"}`
        | `turn.${"started" | "status" | "ended"}`
        | `step.${"started" | "ended"}`
        | `item.${"started" | "updated" | "delta"}`
        | `${"plan" | "usage"}.updated`
        | ("history.cut" | "prompt.queued" | "prompt.withdrawn" | "agent.unparsed");
      return undefined;
  }
}

function ofItem(item: Item): Texts | undefined {
  // A retracted item was taken back by its agent.
  if (item.status === "retracted") return undefined;
  const { id, kind } = item;
  switch (item.kind) {
    case "message":
      return { kind, item: id, role: item.role, texts: [item.text, ...(item.content ?? []).map(partText)] };
    case "tool_call":
      return { kind, item: id, texts: [item.name, item.title, ...textsIn(item.input), item.error?.message] };
    case "tool_result": {
      const said = item.text === undefined ? textsIn(item.content) : [item.text];
      return { kind, item: id, texts: [...(item.files ?? []).flatMap(({ path, from }) => [path, from]), ...said] };
    }
    default:
      return { kind, item: id, texts: [item.text] };
  }
}

function partText(part: PromptPart): string | undefined {
  return part.type === "text" ? part.text : (part.path ?? part.name);
}

/** The texts in a value of any shape, without the names of its fields. Data that is no text for people is left out. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  let left = MOST_VALUES;
  const visit = (one: unknown): void => {
    if (left-- <= 0) return;
    if (typeof one === "string") texts.push(one.startsWith("data:") ? "" : one);
    else if (typeof one === "number") texts.push(String(one));
    else if (Array.isArray(one)) for (const each of one) visit(each);
    else if (typeof one === "object" && one !== null) for (const each of Object.values(one)) visit(each);
  };
  visit(value);
  return texts;
}

function joined(texts: readonly (string | undefined)[]): string {
  let text = "";
  for (const one of texts) {
    if (!one) continue;
    text += (text === "" ? "" : "\n") + one.slice(0, MOST_TEXT - text.length);
    if (text.length >= MOST_TEXT) break;
  }
  return text;
}
