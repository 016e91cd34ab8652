import { isFields } from "../../core/json/fields.ts";

/** Looks into JSON that came from outside without trusting its shape. */
export type Json = Readonly<Record<string, unknown>>;

export function record(value: unknown): Json {
  return isFields(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The text of a message's content: a string, or the text parts of a list. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => text(record(part).text))
    .filter((part) => part !== "")
    .join("\n");
}
