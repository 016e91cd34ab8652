import { effect, signal } from "@preact/signals";
import { followedSessions } from "./feed.ts";
import { leads } from "./leader.ts";
import { stream } from "./start.ts";

const hidden = signal(document.hidden);
document.addEventListener("visibilitychange", () => {
  hidden.value = document.hidden;
});

const BEAT_MS = 5_000;
/** A timer that comes so late was asleep with the whole machine. */
const ASLEEP_MS = 20_000;

/** A connection that slept with the machine may be dead without a sign of it: it is made anew at once. */
function watchSleep(): void {
  let last = Date.now();
  setInterval(() => {
    // Timers of a hidden page come late, too; it is looked at when somebody looks at it.
    if (document.hidden) return;
    const now = Date.now();
    if (now - last > ASLEEP_MS && stream.isRunning()) stream.start();
    last = now;
  }, BEAT_MS);
  addEventListener("online", () => stream.isRunning() && stream.start());
}

/**
 * Browsers give a server six connections for all tabs, and each stream takes one. So a hidden tab that does not lead lets
 * its stream go, and goes on from its cursor when somebody looks at it.
 */
export function keepPresence(): void {
  watchSleep();
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
