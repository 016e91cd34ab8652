import { type ReadonlySignal, signal } from "@preact/signals";

const PREFIX = "parley.";

function read(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? "null");
  } catch {
    return null;
  }
}

function write(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // A full or forbidden storage keeps nothing; the page works without it.
  }
}

/** A value that this browser keeps. Other tabs of this server hear of a change. */
export interface Kept<T> {
  readonly now: ReadonlySignal<T>;
  set(value: T): void;
}

export function kept<T>(name: string, initial: T, isValid: (value: unknown) => value is T): Kept<T> {
  const stored = (): T => {
    const value = read(name);
    return isValid(value) ? value : initial;
  };
  const now = signal(stored());
  addEventListener("storage", (event) => {
    if (event.key === PREFIX + name) now.value = stored();
  });
  return {
    now,
    set(value) {
      now.value = value;
      write(name, value);
    },
  };
}

/** A draft: a text that belongs to one name, such as a session's id. */
export const drafts = {
  get(name: string): string {
    const value = read(`draft.${name}`);
    return typeof value === "string" ? value : "";
  },
  set(name: string, text: string): void {
    write(`draft.${name}`, text === "" ? undefined : text);
  },
};
