import { signal } from "@preact/signals";
import { ago } from "../model/time.ts";

const TICK_MS = 20_000;

/** The time now, for words such as "5 min": all of them change together. */
export const clock = signal(Date.now());
setInterval(() => {
  clock.value = Date.now();
}, TICK_MS);

export function Ago({ time }: { time: number }) {
  const then = new Date(time);
  return (
    <time dateTime={then.toISOString()} title={then.toLocaleString()} class="muted small">
      {ago(time, clock.value)}
    </time>
  );
}
