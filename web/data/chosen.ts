import { computed, signal } from "@preact/signals";
import { openAsks } from "./asks.ts";

const wanted = signal<string | undefined>(undefined);

/** The ask that the keys go to: the one that was chosen while it is open, else the oldest. */
export const chosenAsk = computed(() => {
  const open = openAsks.value.map(({ ask }) => ask.id);
  return wanted.value !== undefined && open.includes(wanted.value) ? wanted.value : open[0];
});

/** Chooses the next ask, or the one before. */
export function chooseAsk(step: 1 | -1): void {
  const open = openAsks.value.map(({ ask }) => ask.id);
  const at = open.indexOf(chosenAsk.value ?? "");
  wanted.value = open[Math.min(open.length - 1, Math.max(0, at + step))];
}
