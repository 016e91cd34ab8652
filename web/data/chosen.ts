import { computed, effect, signal } from "@preact/signals";
import { isSending, openAsks } from "./asks.ts";
import { route } from "./navigation.ts";

const wanted = signal<string | undefined>(undefined);

/** The asks of this page that wait for an answer, oldest first. The page of a session has its own and those of its sub-agents. */
const answerable = computed(() => {
  const now = route.value;
  return openAsks.value
    .filter(({ ask, root }) => now.page !== "session" || root === now.session || ask.session === now.session)
    .map(({ ask }) => ask.id)
    .filter((id) => !isSending(id));
});

/** The ask that the keys go to: the one that was chosen while it waits, else the oldest. */
export const chosenAsk = computed(() => {
  const waiting = answerable.value;
  return wanted.value !== undefined && waiting.includes(wanted.value) ? wanted.value : waiting[0];
});

/** Chooses the next ask, or the one before. */
export function chooseAsk(step: 1 | -1): void {
  const waiting = answerable.value;
  const at = waiting.indexOf(chosenAsk.value ?? "");
  wanted.value = waiting[Math.min(waiting.length - 1, Math.max(0, at + step))];
}

/** A person needs at least so long to see which ask is the chosen one. */
const SEEN_AFTER_MS = 400;
let shownSince = 0;

/** Another ask is in sight than before. */
export function showsAnotherAsk(): void {
  shownSince = performance.now();
}

effect(() => {
  if (chosenAsk.value !== undefined && route.value.page) showsAnotherAsk();
});

/** False for a moment after another ask came in sight: a key that is pressed then was meant for something else. */
export function isChosenAskSeen(): boolean {
  return performance.now() - shownSince >= SEEN_AFTER_MS;
}
