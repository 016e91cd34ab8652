import { type KeyName, type Typed, typeKey } from "../model/keys.ts";

type Handler = () => void;

/** The handlers of each key, the newest last: a page's own counts before that of the whole console. */
const handlers = new Map<KeyName, Handler[]>();
const FORGET_MS = 1_500;
/** A field that is not there after so long is not awaited any more. */
const WAITS_MS = 3_000;

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

/** Text that was typed for a field that is not there yet, and when the field was asked for. */
let kept: { text: string; since: number } | undefined;

/** Keeps what is typed from now on for a field that is still being loaded. */
export function keepTyping(): void {
  kept = { text: "", since: performance.now() };
}

/** The text that was kept for the field that is there now. */
export function takeTyping(): string {
  const { text = "" } = kept ?? {};
  kept = undefined;
  return text;
}

/** Takes a key for the awaited field. */
function keep({ key }: KeyboardEvent): boolean {
  if (!kept) return false;
  if (performance.now() - kept.since > WAITS_MS || key === "Escape") kept = undefined;
  else if (key === "Backspace") kept.text = kept.text.slice(0, -1);
  else if (key.length === 1) kept.text += key;
  return kept !== undefined;
}

const FIELDS = "input, textarea, select, [contenteditable], dialog, iframe";

let typed: Typed = {};
let at = 0;

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target instanceof Element && event.target.closest(FIELDS)) return;
  if (keep(event)) {
    event.preventDefault();
    return;
  }
  const now = performance.now();
  typed = typeKey(now - at > FORGET_MS ? {} : typed, event.key);
  at = now;
  const { name } = typed;
  const handler = name && handlers.get(name)?.at(-1);
  if (!handler) return;
  event.preventDefault();
  if (!event.repeat || REPEATED.has(name)) handler();
});
