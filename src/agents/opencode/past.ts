import type { PromptPart } from "../../core/events/values.ts";
import { type Fields, fieldsIn, listIn, present, textIn } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { Translator } from "./decode/translator.ts";

/** Signals that only a running turn has. */
const LIVE: ReadonlySet<Signal["type"]> = new Set(["turn.begun", "session", "status", "error"]);

function promptPart(part: Fields): PromptPart[] {
  const text = textIn(part, "text");
  if (part.type === "text" && text !== undefined && part.synthetic !== true) return [{ type: "text", text }];
  const url = textIn(part, "url");
  if (part.type !== "file" || url === undefined) return [];
  const name = textIn(part, "filename");
  if (url.startsWith("data:")) return [{ type: "file", url, ...present({ mime: textIn(part, "mime"), name }) }];
  return [{ type: "text", text: `(file: ${name ?? url})` }];
}

interface PastTurn {
  prompt: PromptPart[];
  messages: Fields[];
}

/** The turns of a conversation. A message of the user without words of a user belongs to the turn before it. */
function turnsOf(messages: readonly Fields[]): PastTurn[] {
  const turns: PastTurn[] = [];
  for (const message of messages) {
    const isUsers = fieldsIn(message, "info").role === "user";
    const prompt = isUsers ? listIn(message, "parts").flatMap(promptPart) : [];
    const current = turns.at(-1);
    if (current && prompt.length === 0) current.messages.push(message);
    else turns.push({ prompt, messages: [message] });
  }
  return turns;
}

function turnSignals({ prompt, messages }: PastTurn, root: string, directory: string): Signal[] {
  const id = textIn(fieldsIn(messages[0] ?? {}, "info"), "id") ?? "";
  const translator = new Translator({ root, directory });
  const readings = [translator.prompt(id), translator.learn(root, messages, true), translator.settle(root)];
  const said = readings.flatMap((reading) => reading.said).flatMap(({ signal, child }) => (child ? [] : [signal]));
  return [{ type: "replay.prompt", parts: prompt }, ...said.filter(({ type }) => !LIVE.has(type))];
}

/** The conversation so far of a session that Parley did not begin, oldest first. */
export function pastOf(messages: readonly Fields[], session: string, directory: string): Signal[] {
  const told = turnsOf(messages).flatMap((turn) => turnSignals(turn, session, directory));
  return [{ type: "replay.begun" }, ...told, { type: "replay.ended" }];
}
