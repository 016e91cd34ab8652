import { promptOf } from "./choose.ts";
import { type Conversation, MARKER } from "./conversation.ts";
import type { Step } from "./script.ts";

/** `{{name}}`, or `{{name /pattern/}}` for the pattern's first group (or all that it matched). */
const BLANK = /\{\{\s*(number\s+)?([a-z_]+)(?:\s+\/((?:\\.|[^/\\])*)\/)?\s*\}\}/g;
const ONE_BLANK = new RegExp(`^${BLANK.source}$`);

const DIRECTORY = /(?:working directory:|<cwd>|cwd:)\s*([^\s<"]+)/i;

export const BLANKS = ["prompt", "model", "directory", "last_tool_result"] as const;
type Values = Record<(typeof BLANKS)[number], string>;

function valuesOf(conversation: Conversation): Values {
  const { entries, system, model } = conversation;
  const told = [system, ...entries.map((entry) => (entry.role === "user" ? entry.text : ""))].join("\n");
  const result = entries.findLast((entry) => entry.role === "tool");
  return {
    prompt: promptOf(conversation).replace(MARKER, "").trim(),
    model,
    directory: DIRECTORY.exec(told)?.[1] ?? "",
    last_tool_result: result?.role === "tool" ? result.text : "",
  };
}

function fillText(template: string, values: Values): string {
  return template.replace(BLANK, (whole, _number, name: string, pattern: string | undefined) => {
    if (!Object.hasOwn(values, name)) return whole;
    const value = values[name as keyof Values];
    if (pattern === undefined) return value;
    const match = new RegExp(pattern, "m").exec(value);
    return match?.[1] ?? match?.[0] ?? "";
  });
}

function fillValue(value: unknown, values: Values): unknown {
  if (typeof value === "string") {
    const filled = fillText(value, values);
    return ONE_BLANK.exec(value)?.[1] === undefined ? filled : Number(filled);
  }
  if (Array.isArray(value)) return value.map((entry) => fillValue(entry, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fillValue(entry, values)]));
}

/** Puts what the client sent into the blanks of a step. */
export function fill(step: Step, conversation: Conversation): Step {
  return fillValue(step, valuesOf(conversation)) as Step;
}
