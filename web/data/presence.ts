import { effect, signal } from "@preact/signals";
import { followedSessions } from "./feed.ts";
import { leads } from "./leader.ts";
import { stream } from "./start.ts";

const hidden = signal(document.hidden);
document.addEventListener("visibilitychange", () => {
  hidden.value = document.hidden;
});

/**
 * Browsers give a server six connections for all tabs, and each stream takes one. So a hidden tab that does not lead lets
 * its stream go, and goes on from its cursor when somebody looks at it.
 */
export function keepPresence(): void {
  effect(() => {
    const wanted = !hidden.value || leads.value;
    if (wanted && !stream.isRunning()) stream.start();
    else if (!wanted && stream.isRunning()) stream.pause();
  });
  // A page that is left for another closes one feed and opens the next: one change, not two.
  effect(() => {
    const wanted = followedSessions.value;
    queueMicrotask(() => wanted === followedSessions.peek() && stream.watch(wanted));
  });
}
