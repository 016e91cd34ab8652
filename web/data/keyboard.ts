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

const FIELDS = "input, textarea, select, [contenteditable], dialog, iframe";

let typed: Typed = {};
let at = 0;

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target instanceof Element && event.target.closest(FIELDS)) return;
  const now = performance.now();
  typed = typeKey(now - at > FORGET_MS ? {} : typed, event.key);
  at = now;
  const handler = typed.name && handlers.get(typed.name)?.at(-1);
  if (!handler) return;
  event.preventDefault();
  handler();
});
