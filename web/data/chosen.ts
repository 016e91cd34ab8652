import { computed, effect, signal } from "@preact/signals";
import { isSending, openAsks } from "./asks.ts";
import { route } from "./navigation.ts";

const wanted = signal<string | undefined>(undefined);

/** The asks of this page that wait for an answer, oldest first. The page of a session has those of that session. */
const answerable = computed(() => {
  const now = route.value;
  return openAsks.value
    .filter(({ ask, root }) => (now.page !== "session" || root === now.session) && !isSending(ask.id))
    .map(({ ask }) => ask.id);
});

/** The ask that the keys go to: the one that was chosen while it waits, else the oldest. */
export const chosenAsk = computed(() => {
  const waiting = answerable.value;
  return wanted.value !== undefined && waiting.includes(wanted.value) ? wanted.value : waiting[0];
});

/** A person needs at least so long to see that another ask is the chosen one. */
const SEEN_AFTER_MS = 400;
let last: string | undefined;
let takenOverAt = Number.NEGATIVE_INFINITY;
effect(() => {
  const now = chosenAsk.value;
  if (last !== undefined && now !== last) takenOverAt = performance.now();
  last = now;
});

/** False right after another ask took the place of the chosen one: a key that was pressed twice was meant for that. */
export function isChosenAskSeen(): boolean {
  return performance.now() - takenOverAt >= SEEN_AFTER_MS;
}

/** Chooses the next ask, or the one before. */
export function chooseAsk(step: 1 | -1): void {
  const waiting = answerable.value;
  const at = waiting.indexOf(chosenAsk.value ?? "");
  wanted.value = waiting[Math.min(waiting.length - 1, Math.max(0, at + step))];
  takenOverAt = Number.NEGATIVE_INFINITY;
}
