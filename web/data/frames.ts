import { batch } from "@preact/signals";

/** A hidden page draws no frames; its title and its notifications still follow. */
const HIDDEN_MS = 500;

/** Text that grows thirty times a second reads as smoothly as one that grows sixty times, at half the work. */
const APART_MS = 30;

/** The queues that were filled while another one was given out. They follow in the same batch, not a frame later. */
let followers: Set<() => void> | undefined;

function together(work: () => void): void {
  if (followers) return work();
  const waiting = new Set<() => void>();
  followers = waiting;
  try {
    batch(() => {
      work();
      for (const flush of waiting) {
        waiting.delete(flush);
        flush();
      }
    });
  } finally {
    followers = undefined;
  }
}

/** Collects items and gives them to `take` once in a frame or two, in one batch: however many come, the page is drawn once. */
export function perFrame<T>(take: (items: readonly T[]) => void) {
  let items: T[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = Number.NEGATIVE_INFINITY;

  function flush(): void {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = undefined;
    timer = undefined;
    const taken = items;
    items = [];
    if (taken.length > 0) together(() => take(taken));
  }

  function onFrame(now: number): void {
    if (now - last < APART_MS) {
      frame = requestAnimationFrame(onFrame);
      return;
    }
    last = now;
    flush();
  }

  return {
    push(item: T): void {
      items.push(item);
      if (followers) return void followers.add(flush);
      // Both: a page that is hidden in between draws no frame any more.
      frame ??= document.hidden ? undefined : requestAnimationFrame(onFrame);
      timer ??= setTimeout(flush, HIDDEN_MS);
    },
    flush,
  };
}
