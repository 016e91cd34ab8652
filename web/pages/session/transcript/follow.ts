import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** So near to the end counts as the end. */
const NEAR = 48;

/** Browsers move by themselves only when something has changed its size. */
const SETTLED_MS = 300;

export interface Following {
  /** Whether the reader is at the end, which is then followed. */
  atEnd: Signal<boolean>;
  toEnd(): void;
}

/** A movement so soon after these is the reader's; whoever holds a scrollbar may do so for a while. */
const INTENTS = { wheel: 700, touchmove: 700, keydown: 700, pointerdown: 3_000 } as const;

/**
 * Keeps the end in sight while the reader is there, and never moves them otherwise. Only the reader leaves the end: when
 * something folds, browsers move upwards by themselves, and text that grows below is no movement at all.
 */
export function useFollowing(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): Following {
  const atEnd = useSignal(true);
  useEffect(() => {
    const [outer, inner] = [scroller.current, content.current];
    if (!outer || !inner) return;
    let top = 0;
    let resized = performance.now();
    let readerUntil = Number.NEGATIVE_INFINITY;
    const onIntent = ({ type }: Event): void => {
      readerUntil = performance.now() + INTENTS[type as keyof typeof INTENTS];
    };
    const onScroll = (): void => {
      const left = outer.scrollHeight - outer.clientHeight - outer.scrollTop;
      const now = performance.now();
      const byReader = now < readerUntil || now - resized > SETTLED_MS;
      if (left < NEAR) atEnd.value = true;
      else if (outer.scrollTop < top - 1 && byReader) atEnd.value = false;
      top = outer.scrollTop;
    };
    const grown = new ResizeObserver(() => {
      resized = performance.now();
      if (atEnd.peek()) outer.scrollTop = outer.scrollHeight;
    });
    for (const name of Object.keys(INTENTS)) outer.addEventListener(name, onIntent, { passive: true });
    outer.addEventListener("scroll", onScroll, { passive: true });
    grown.observe(inner);
    grown.observe(outer);
    return () => {
      for (const name of Object.keys(INTENTS)) outer.removeEventListener(name, onIntent);
      outer.removeEventListener("scroll", onScroll);
      grown.disconnect();
    };
  }, [scroller, content, atEnd]);
  return {
    atEnd,
    toEnd() {
      atEnd.value = true;
      const outer = scroller.current;
      if (outer) outer.scrollTop = outer.scrollHeight;
    },
  };
}

/** So long after older rows came, the rows around them are given their real sizes: those out of sight have none. */
const HELD_MS = 500;

/**
 * Holds an element at a height of the window while rows above it change their sizes. Where the reader moves meanwhile,
 * it is held at the new height. The browser's own anchoring is off for that time: it may hold another element.
 */
function held(
  [outer, inner]: readonly [HTMLElement, HTMLElement],
  element: Element,
  height: number,
  isOver: () => boolean,
): () => void {
  let top = height;
  let at = outer.scrollTop;
  const onScroll = (): void => {
    top -= outer.scrollTop - at;
    at = outer.scrollTop;
  };
  const hold = (): void => {
    if (isOver() || !element.isConnected) return;
    // Sizes are told before the scroll event of the same frame.
    onScroll();
    outer.scrollTop += element.getBoundingClientRect().top - top;
    at = outer.scrollTop;
  };
  const sizes = new ResizeObserver(hold);
  const end = (): void => {
    clearTimeout(timer);
    sizes.disconnect();
    outer.removeEventListener("scroll", onScroll);
    outer.style.overflowAnchor = "";
  };
  const timer = setTimeout(end, HELD_MS);
  outer.style.overflowAnchor = "none";
  outer.addEventListener("scroll", onScroll, { passive: true });
  hold();
  sizes.observe(inner);
  return end;
}

/** Keeps what the reader sees where it is when older rows come above it. */
export function useKeptPlace(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  first: number,
  { atEnd }: Following,
): void {
  const seen = useRef<{ first: number; element: Element; top: number } | undefined>(undefined);
  const outer = scroller.current;
  if (outer && seen.current?.first !== first) {
    const edge = outer.getBoundingClientRect().top;
    const element = [...outer.querySelectorAll(".row-of")].find((row) => row.getBoundingClientRect().bottom > edge);
    seen.current = element && { first, element, top: element.getBoundingClientRect().top };
  }
  useLayoutEffect(() => {
    const { element, top } = seen.current ?? {};
    const inner = content.current;
    if (!outer || !inner || !element?.isConnected || top === undefined || atEnd.peek()) return;
    return held([outer, inner], element, top, () => atEnd.peek());
  }, [first]);
}
