import type { EventOf } from "../../../core/events/event.ts";
import type { Item } from "../../../core/events/items.ts";
import { present } from "../../../core/json/fields.ts";
import { textBlock } from "./message-content.ts";
import type { Role, Summary, Update } from "./updates.ts";

interface Told {
  role: Role;
  text: string;
  summary?: Summary;
  version?: number;
}

function roleOf(kind: string | undefined, role: string | undefined): Role | undefined {
  if (kind === "reasoning") return "thought";
  return kind === "message" && role === "assistant" ? "agent" : undefined;
}

function factsOf(
  message: string,
  { role, summary, version }: Told,
): Pick<Told, "role" | "summary" | "version"> & { message: string } {
  return { role, message, ...present({ summary, version }) };
}

/** The texts of a turn: what was told of each item, so that only the rest is told. */
export class Texts {
  readonly #told = new Map<string, Told>();

  /** An item began. `summary`: what it says stands for the conversation before it. */
  began(item: Item, summary: Summary | undefined): void {
    const role = roleOf(item.kind, item.kind === "message" ? item.role : undefined);
    if (role) this.#told.set(item.id, { role, text: "", ...present({ summary }) });
  }

  /** The place of a text among what a past tells, before its words. */
  placeOf(item: Item): Update[] {
    const told = this.#told.get(item.id);
    return told ? [{ type: "text", ...factsOf(item.id, told), content: [] }] : [];
  }

  grew({ item, kind, role, field, delta, replace }: EventOf<"item.delta">["data"]): Update[] {
    const known = roleOf(kind, role);
    const told = this.#told.get(item) ?? (known && { role: known, text: "" });
    if (!told || field !== "text") return [];
    this.#told.set(item, told);
    if (replace !== undefined) return this.#become(item, told, replace);
    if (!delta) return [];
    // Not compared with what was told before: that would read a long text anew for each of its pieces.
    told.text += delta;
    return [{ type: "text", ...factsOf(item, told), content: [textBlock(delta)] }];
  }

  completed(item: Item): Update[] {
    const role = roleOf(item.kind, item.kind === "message" ? item.role : undefined);
    if (!role || (item.kind !== "message" && item.kind !== "reasoning")) return [];
    const told = this.#told.get(item.id) ?? { role, text: "" };
    this.#told.delete(item.id);
    return this.#become(item.id, told, item.status === "retracted" ? "" : (item.text ?? told.text));
  }

  clear(): void {
    this.#told.clear();
  }

  #become(message: string, told: Told, text: string): Update[] {
    const before = told.text;
    told.text = text;
    if (text === before) return [];
    const isReplaced = !text.startsWith(before);
    if (isReplaced) told.version = (told.version ?? 0) + 1;
    const facts = factsOf(message, told);
    if (isReplaced) return [{ type: "replaced", ...facts, text }];
    return [{ type: "text", ...facts, content: [textBlock(text.slice(before.length))] }];
  }
}
