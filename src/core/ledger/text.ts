import { withEntry } from "../entries.ts";
import type { Item } from "../events/items.ts";
import { present } from "../json/fields.ts";
import { bounded, grow, leftOutWords } from "./bounds.ts";
import type { Frame } from "./frame.ts";
import type { Role, TextKind, TextSignal } from "./signals.ts";
import { findPast, type OpenText, textKey } from "./state.ts";
import { currentStep, noteActivity, openAgentTurn } from "./turn.ts";

interface Known {
  kind: TextKind;
  role: Role;
}

function knownFrom(signal: { kind?: TextKind; role?: Role }): Known | undefined {
  if (signal.kind === "reasoning") return { kind: "reasoning", role: "assistant" };
  if (signal.kind === undefined && signal.role === undefined) return undefined;
  return { kind: "message", role: signal.role ?? "assistant" };
}

function itemOf(open: OpenText, known: Known, status: Item["status"], text?: string): Item {
  const { id, step, parentCall } = open;
  const common = present({ id, status, step, parentCall, text });
  return known.kind === "reasoning"
    ? { ...common, kind: "reasoning" }
    : { ...common, kind: "message", role: known.role };
}

function setText(frame: Frame, key: string, open: OpenText | undefined): void {
  const { turn } = frame.state;
  // Not by `patchTurn`, whose change of any fields costs several times as much: each piece of an answer comes here.
  if (turn) frame.state = { ...frame.state, turn: { ...turn, texts: withEntry(turn.texts, key, open) } };
}

/** Says a change of a text whose speaker is known. */
function sayText(frame: Frame, { id, known }: OpenText, change: { delta: string } | { replace: string }): void {
  if (!known) return;
  const { kind, role } = known;
  if (kind === "message" && "delta" in change)
    return frame.say("item.delta", { item: id, kind, role, field: "text", delta: change.delta });
  const whose = kind === "message" ? { kind, role } : { kind };
  frame.say("item.delta", { item: id, ...whose, field: "text", ...change });
}

/** Whether the open turn, or one that the agent opens by speaking, takes a text; other texts become a note of the session. */
function admits(frame: Frame, item: string, known: Known | undefined, text: string): boolean {
  const { turn } = frame.state;
  if (turn?.texts.has(item)) return true;
  if (turn?.done.has(textKey(item))) return false;
  const past = findPast(frame.state, textKey(item));
  // A text without a known speaker opens no turn: the turn might never be closed.
  if (!past && (turn || known)) return true;
  if (!past?.mute && text !== "") {
    frame.sayOfSession("session.note", { item, text, ...(past ? { about: past.turn } : {}) });
  }
  return false;
}

/** Finds or begins an item. */
function openText(frame: Frame, signal: { item: string; parentCall?: string }, known: Known | undefined): OpenText {
  openAgentTurn(frame);
  const existing = frame.state.turn?.texts.get(signal.item);
  if (existing) return known && !existing.known ? startText(frame, signal.item, existing, known) : existing;
  const fresh: OpenText = present({ id: frame.context.id("item"), text: "", parentCall: signal.parentCall });
  setText(frame, signal.item, fresh);
  return known ? startText(frame, signal.item, fresh, known) : fresh;
}

/** The speaker is known now: the item starts, with the text that was held back. */
function startText(frame: Frame, key: string, held: OpenText, known: Known): OpenText {
  // A message of the user belongs to no step.
  const started: OpenText = { ...held, known, ...(known.role === "user" ? {} : { step: currentStep(frame) }) };
  setText(frame, key, started);
  noteActivity(frame);
  frame.say("item.started", { item: itemOf(started, known, "running") });
  if (started.text !== "") sayText(frame, started, { delta: started.text });
  return started;
}

export function onText(frame: Frame, signal: TextSignal): void {
  const known = knownFrom(signal);
  if (!admits(frame, signal.item, known, signal.delta)) return;
  const open = openText(frame, signal, known);
  if (signal.delta === "") return;
  const { after, delta } = grow(open, signal.delta);
  setText(frame, signal.item, after);
  if (!open.known || delta === "") return;
  noteActivity(frame);
  sayText(frame, open, { delta });
}

export function onTextKnown(frame: Frame, signal: { item: string; kind: TextKind; role?: Role }): void {
  const open = frame.state.turn?.texts.get(signal.item);
  const known = knownFrom(signal);
  if (!open || open.known || !known) return;
  const started = startText(frame, signal.item, open, known);
  if (started.ended) completeText(frame, signal.item, started, "completed");
}

export function onTextDone(
  frame: Frame,
  signal: { item: string; kind?: TextKind; role?: Role; text?: string; parentCall?: string },
): void {
  const known = knownFrom(signal);
  const opened = frame.state.turn?.texts.has(signal.item) ?? false;
  // The whole text of an item that was completed before is a repeat, no late text.
  if (!opened && (!signal.text || findPast(frame.state, textKey(signal.item)))) return;
  if (!admits(frame, signal.item, known, signal.text ?? "")) return;
  const open = openText(frame, signal, known);
  const corrected = signal.text === undefined ? open : correctText(frame, signal.item, open, signal.text);
  if (corrected.known) completeText(frame, signal.item, corrected, "completed");
  else setText(frame, signal.item, { ...corrected, ended: true });
}

export function onTextReplaced(frame: Frame, signal: { item: string; text: string }): void {
  const open = frame.state.turn?.texts.get(signal.item);
  if (open) correctText(frame, signal.item, open, signal.text);
}

export function onTextRetracted(frame: Frame, signal: { item: string }): void {
  const open = frame.state.turn?.texts.get(signal.item);
  if (!open) return;
  if (open.known) completeText(frame, signal.item, open, "retracted");
  else forgetText(frame, signal.item);
}

/** Corrects the streamed text: by a delta where only its end is missing, by a replacement otherwise. */
function correctText(frame: Frame, key: string, open: OpenText, whole: string): OpenText {
  const text = bounded(whole);
  if (text === open.text) return open;
  const { left: _, ...rest } = open;
  const corrected = { ...rest, text };
  setText(frame, key, corrected);
  if (open.known) {
    const change = text.startsWith(open.text) ? { delta: text.slice(open.text.length) } : { replace: text };
    sayText(frame, open, change);
  }
  return corrected;
}

function forgetText(frame: Frame, key: string): void {
  const { turn } = frame.state;
  if (!turn) return;
  frame.patchTurn({ texts: withEntry(turn.texts, key, undefined), done: turn.done.with(textKey(key)) });
}

type Ended = "completed" | "interrupted" | "retracted";

function completeText(frame: Frame, key: string, open: OpenText, status: Ended): void {
  const { known, left } = open;
  const words = leftOutWords(left);
  if (words !== "") sayText(frame, open, { delta: words });
  if (known) frame.say("item.completed", { item: itemOf(open, known, status, open.text + words) });
  forgetText(frame, key);
}

/** Completes all texts at the turn's end. Text that was held back becomes the agent's. */
export function closeTexts(frame: Frame, status: "completed" | "interrupted"): void {
  for (const [key, open] of frame.state.turn?.texts ?? []) {
    const shown =
      open.known || open.text === "" ? open : startText(frame, key, open, { kind: "message", role: "assistant" });
    completeText(frame, key, shown, status);
  }
}
