import { signal, useComputed } from "@preact/signals";
import { ago } from "../model/time.ts";

const TICK_MS = 20_000;

/** The time now, for words such as "5 min": all of them change together. */
export const clock = signal(Date.now());
setInterval(() => {
  clock.value = Date.now();
}, TICK_MS);

/** The words change when they must, not with the clock: a board has a thousand of them. */
export function Ago({ time }: { time: number }) {
  const words = useComputed(() => ago(time, clock.value));
  const then = new Date(time);
  return (
    <time dateTime={then.toISOString()} title={then.toLocaleString()} class="muted small">
      {words.value}
    </time>
  );
}
