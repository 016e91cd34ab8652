import { type KeyName, type Typed, typeKey } from "../model/keys.ts";

type Handler = () => void;

/** The handlers of each key, the newest last: a page's own counts before that of the whole console. */
const handlers = new Map<KeyName, Handler[]>();
const FORGET_MS = 1_500;

/** Has a key do something until the answer is called. */
export function onKey(name: KeyName, handler: Handler): () => void {
  const list = handlers.get(name) ?? [];
  list.push(handler);
  handlers.set(name, list);
  return () => {
    const at = list.lastIndexOf(handler);
    if (at >= 0) list.splice(at, 1);
  };
}

/** Handlers for several keys at once. */
export function onKeys(wanted: Partial<Record<KeyName, Handler>>): () => void {
  const offs = Object.entries(wanted).map(([name, handler]) => onKey(name as KeyName, handler));
  return () => {
    for (const off of offs) off();
  };
}

/** A key that is held down repeats these alone: it must not answer one ask after the other. */
const REPEATED: ReadonlySet<KeyName> = new Set(["next", "previous"]);

/** Somebody who types makes no longer pause than this. */
const TYPING_MS = 1_000;
/** A field that is being loaded is awaited so long after the last key. */
const LOADING_MS = 3_000;

/** Text that was typed for a field that is not there yet. */
let kept: { text: string; at: number; isAwaited: () => boolean } | undefined;

/** Keeps what is typed from now on for a field that is being loaded, for as long as it is awaited. */
export function keepTyping(isAwaited: () => boolean): void {
  kept = { text: "", at: performance.now(), isAwaited };
}

function keeping(): typeof kept {
  if (kept && (performance.now() - kept.at > LOADING_MS || !kept.isAwaited())) kept = undefined;
  return kept;
}

/** The text that was kept for the field that is there now. */
export function takeTyping(): string {
  const { text = "" } = keeping() ?? {};
  kept = undefined;
  return text;
}

/** Takes a key for the awaited field. */
function keep(key: string): boolean {
  const waiting = keeping();
  if (!waiting || (key.length > 1 && key !== "Backspace")) {
    if (key === "Escape") kept = undefined;
    return false;
  }
  waiting.text = key === "Backspace" ? waiting.text.slice(0, -1) : waiting.text + key;
  waiting.at = performance.now();
  return true;
}

const FIELDS = "input, textarea, select, [contenteditable], dialog, iframe";

/** The field that had the last key. */
let used: { field: Element; at: number } | undefined;

/** Whether somebody still types for a field that was taken away under their hands: the rest of the word is no key. */
function isForLostField(now: number): boolean {
  if (!used || now - used.at > TYPING_MS || (used.field.isConnected && !used.field.matches(":disabled"))) return false;
  used.at = now;
  return true;
}

let typed: Typed = {};
let at = 0;

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const now = performance.now();
  const field = event.target instanceof Element && event.target.closest(FIELDS);
  if (field) {
    // After these the person is done with the field.
    used = event.key === "Enter" || event.key === "Escape" ? undefined : { field, at: now };
    return;
  }
  if (keep(event.key) || (event.key.length === 1 && isForLostField(now))) {
    event.preventDefault();
    return;
  }
  typed = typeKey(now - at > FORGET_MS ? {} : typed, event.key);
  at = now;
  const { name } = typed;
  const handler = name && handlers.get(name)?.at(-1);
  if (!handler) return;
  event.preventDefault();
  if (!event.repeat || REPEATED.has(name)) handler();
});
