import { signal } from "@preact/signals";

/** The turns of which only the prompt is shown. */
const folded = signal<ReadonlySet<string>>(new Set());

export function isFolded(turn: string): boolean {
  return folded.value.has(turn);
}

export function toggleFold(turn: string): void {
  const next = new Set(folded.value);
  if (!next.delete(turn)) next.add(turn);
  folded.value = next;
}
