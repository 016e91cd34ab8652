import { effect, signal } from "@preact/signals";
import { leads } from "./leader.ts";
import { stream } from "./start.ts";
import { watchedSessions } from "./watched.ts";

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
  effect(() => stream.watch(watchedSessions()));
}
