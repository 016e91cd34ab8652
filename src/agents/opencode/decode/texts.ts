import { type Fields, fieldsIn, textIn } from "../../../core/json/fields.ts";
import type { Signal, TextKind } from "../../../core/ledger/signals.ts";
import type { Part } from "./state.ts";

function kindOf(part: Part): TextKind {
  return part.type === "reasoning" ? "reasoning" : "message";
}

/** A piece of a text. Pieces of a text with a gap are not told: its whole text is, when the program has it. */
export function deltaSignals(part: Part, delta: string): Signal[] {
  if (part.over || part.gap || delta === "") return [];
  part.told += delta;
  return [{ type: "text", item: part.key, kind: kindOf(part), role: "assistant", delta }];
}

/** A text that was taken for an answer and is reasoning, or the other way round, is told anew. */
export function retype(part: Part, type: string): Signal[] {
  if (part.type === type) return [];
  const told: Signal[] = part.told === "" ? [] : [{ type: "text.retracted", item: part.key }];
  part.type = type;
  part.key = `${part.id}:${type}`;
  part.told = "";
  return told;
}

export function isEnded(told: Fields): boolean {
  return fieldsIn(told, "time").end !== undefined;
}

/**
 * A state of a text. One that is longer than what was told brings the rest, one that is shorter came late. The whole text at its end counts more than the
 * pieces; the program cuts blanks at its end, which is no correction.
 */
export function textSignals(part: Part, told: Fields): Signal[] {
  if (part.over) return [];
  const text = textIn(told, "text") ?? "";
  if (isEnded(told)) return endText(part, text);
  if (text.length <= part.told.length || !text.startsWith(part.told)) return [];
  const delta = text.slice(part.told.length);
  part.told = text;
  part.gap = false;
  return [{ type: "text", item: part.key, kind: kindOf(part), role: "assistant", delta }];
}

function endText(part: Part, text: string): Signal[] {
  part.over = true;
  if (text === "" && part.told === "") return [];
  if (text === "") return [{ type: "text.retracted", item: part.key }];
  const whole = text === part.told.trimEnd() ? {} : { text };
  part.told = text;
  return [{ type: "text.done", item: part.key, kind: kindOf(part), role: "assistant", ...whole }];
}

/** Its message is over, and the program keeps this of it. A text that it keeps nothing of was of an attempt that failed. */
export function settleText(part: Part, kept: Fields | undefined): Signal[] {
  if (part.over) return [];
  if (kept) return endText(part, textIn(kept, "text") ?? "");
  part.over = true;
  return part.told === "" ? [] : [{ type: "text.done", item: part.key, kind: kindOf(part), role: "assistant" }];
}

/** The program tries the model's answer once more: it does not keep the pieces so far. If it has the text after all, that one is told anew, as a whole. */
export function retractText(part: Part): Signal[] {
  if (part.over || part.told === "") return [];
  const { key } = part;
  part.key = `${key}:again`;
  part.told = "";
  part.gap = true;
  return [{ type: "text.retracted", item: key }];
}
