import { batch } from "@preact/signals";

/** A hidden page draws no frames; its title and its notifications still follow. */
const HIDDEN_MS = 500;

/**
 * Collects items and gives them to `take` once a frame, in one batch: however many events come, the page is drawn once.
 * `waiting` tells how many are collected.
 */
export function perFrame<T>(take: (items: readonly T[]) => void) {
  let items: T[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = undefined;
    timer = undefined;
    const taken = items;
    items = [];
    if (taken.length > 0) batch(() => take(taken));
  }

  return {
    push(item: T): void {
      items.push(item);
      // Both: a page that is hidden in between draws no frame any more.
      frame ??= document.hidden ? undefined : requestAnimationFrame(flush);
      timer ??= setTimeout(flush, HIDDEN_MS);
    },
    waiting: () => items.length,
    flush,
  };
}
