import { type Conversation, MARKER, ownWords, promptAt, repliesSince } from "./conversation.ts";
import type { Script, Step } from "./script.ts";

export interface Choice {
  marker: string;
  /** Which reply to the prompt this is, from 0. */
  index: number;
  step: Step;
}

export type Chosen = Choice | { missing: string };

/** Chooses by what the client sent and nothing else, so that retries and resumed conversations get what they should. */
export function choose(script: Script, conversation: Conversation): Chosen {
  const at = promptAt(conversation.entries);
  const prompt = promptOf(conversation);
  const markers = [...prompt.matchAll(MARKER)].map((match) => match[1] ?? "");
  // The last one: a prompt that went unanswered may come again in one message with the next.
  const marker = markers.findLast((name) => Object.hasOwn(script.prompts, name)) ?? "*";
  const steps = script.prompts[marker];
  if (steps === undefined) return { missing: missing(script, markers) };
  const index = repliesSince(conversation.entries, at);
  return { marker, index, step: steps[index] ?? pastTheEnd(marker, steps.length, index) };
}

export function promptOf({ entries }: Conversation): string {
  const entry = entries[promptAt(entries)];
  return entry?.role === "user" ? ownWords(entry.text) : "";
}

/** A client that asks on is answered, in words that show what happened, rather than led in a circle. */
function pastTheEnd(marker: string, steps: number, index: number): Step {
  return { text: `The script of ${marker} has ${steps} steps, and this would be number ${index + 1}.` };
}

function missing(script: Script, markers: readonly string[]): string {
  const wanted = markers.length === 0 ? "a prompt without a marker" : markers.map((name) => `[[${name}]]`).join(" or ");
  return `the script has nothing for ${wanted}; it has ${Object.keys(script.prompts).join(", ") || "nothing at all"}`;
}
