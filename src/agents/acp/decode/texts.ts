import type { PromptPart } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, textIn } from "../../../core/json/fields.ts";
import type { TextKind } from "../../../core/ledger/signals.ts";
import { wordsOf } from "./content.ts";
import { type DecodeState, OUTSIDE_TURN, type Say } from "./state.ts";

/** More are not open at once: each costs something with every event. */
const MOST_OPEN = 16;
/** More words outside of a turn are told in several notes. */
const MOST_OUTSIDE = 64_000;

/** Ends the texts that are open: what follows is another item. */
export function closeTexts(state: DecodeState, say: Say): void {
  for (const { key } of state.texts.values()) say({ type: "text.done", item: key });
  state.texts.clear();
}

/** The model replies anew, after the calls of its reply before: the protocol has no word for it. */
export function beginStep(state: DecodeState, say: Say): void {
  if (state.step.length === 0 || !state.step.every(({ done }) => done)) return;
  state.step = [];
  closeTexts(state, say);
  say({ type: "step.begun", step: `${state.prefix}:step:${++state.items}` });
}

function openText(state: DecodeState, message: string, kind: TextKind, say: Say): string {
  const open = state.texts.get(message);
  if (open?.kind === kind) return open.key;
  // Thoughts end where words begin, and the other way round, whatever message they are of.
  for (const [of, { key, kind: other }] of state.texts) {
    if (other === kind && of !== message) continue;
    say({ type: "text.done", item: key });
    state.texts.delete(of);
  }
  const [oldest] = state.texts;
  if (oldest && state.texts.size >= MOST_OPEN) {
    say({ type: "text.done", item: oldest[1].key });
    state.texts.delete(oldest[0]);
  }
  const key = `${state.prefix}:${state.turn}:${++state.items}`;
  state.texts.set(message, { key, kind });
  return key;
}

/** A piece of a text. Pieces belong together by the message's id, as long as no call and no other kind of words comes between. */
export function onChunk(state: DecodeState, update: Fields, kind: TextKind, say: Say): void {
  const delta = wordsOf(fieldsIn(update, "content"));
  if (delta === "" || state.place === "left_out") return;
  sayAsked(state, say);
  if (state.place === "outside") {
    if (kind === "message") state.outside += delta;
    if (state.outside.length > MOST_OUTSIDE) sayOutside(state, say);
    return;
  }
  beginStep(state, say);
  const item = openText(state, textIn(update, "messageId") ?? "", kind, say);
  say({ type: "text", item, kind, role: "assistant", delta });
}

/** Words of the user count in the past alone: the program repeats a prompt that Parley has given it. */
export function onUserChunk(state: DecodeState, update: Fields): void {
  if (state.place === "past") state.asked.push(update);
}

function partOf(update: Fields): PromptPart {
  const block = fieldsIn(update, "content");
  const [data, mime] = [textIn(block, "data"), textIn(block, "mimeType")];
  if (block.type === "image" && data !== undefined && mime !== undefined)
    return { type: "file", url: `data:${mime};base64,${data}`, mime };
  return { type: "text", text: wordsOf(block) };
}

/** Pieces of one text are put together. */
function joined(updates: readonly Fields[]): PromptPart[] {
  const parts: PromptPart[] = [];
  let message: unknown;
  for (const update of updates) {
    const part = partOf(update);
    const last = parts.at(-1);
    if (part.type === "text" && last?.type === "text" && update.messageId === message)
      parts[parts.length - 1] = { ...last, text: last.text + part.text };
    else parts.push(part);
    message = update.messageId;
  }
  return parts;
}

/** A prompt of the past is known when something else follows it. */
export function sayAsked(state: DecodeState, say: Say): void {
  if (state.asked.length === 0) return;
  closeTexts(state, say);
  state.turn += 1;
  state.step = [];
  say({ type: "replay.prompt", parts: joined(state.asked) });
  state.asked = [];
}

/** Tells the words that came outside of a turn as one note. */
export function sayOutside(state: DecodeState, say: Say): void {
  const text = state.outside.trim();
  state.outside = "";
  if (text !== "") say({ type: "note", level: "info", text, code: OUTSIDE_TURN });
}
