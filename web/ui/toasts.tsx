import { signal } from "@preact/signals";
import { wordsOf } from "../data/api.ts";

interface Toast {
  id: number;
  text: string;
  bad: boolean;
}

const SHOWN_MS = 8_000;
const MAX_SHOWN = 4;

const toasts = signal<readonly Toast[]>([]);
let last = 0;

function remove(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Says something for a moment, to screen readers too. */
export function say(text: string, { bad = false } = {}): void {
  const id = ++last;
  toasts.value = [...toasts.value, { id, text, bad }].slice(-MAX_SHOWN);
  setTimeout(() => remove(id), SHOWN_MS);
}

/** Does something that the server may refuse, and says so where it does. Resolves with whether it was done. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    say(wordsOf(error), { bad: true });
    return false;
  }
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, bad }) => (
        <div key={id} class={bad ? "notice bad row" : "notice row"}>
          <span class="grow">{text}</span>
          <button type="button" class="button plain compact" aria-label="Dismiss" onClick={() => remove(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
