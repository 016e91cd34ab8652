import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** So near to the end counts as the end. */
const NEAR = 48;

export interface Following {
  /** Whether the reader is at the end, which is then followed. */
  atEnd: Signal<boolean>;
  toEnd(): void;
}

/**
 * Keeps the end in sight while the reader is there, and never moves them otherwise. Only a movement upwards leaves the end:
 * text that grows below is no movement.
 */
export function useFollowing(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): Following {
  const atEnd = useSignal(true);
  const top = useRef(0);
  useEffect(() => {
    const [outer, inner] = [scroller.current, content.current];
    if (!outer || !inner) return;
    const onScroll = (): void => {
      const left = outer.scrollHeight - outer.clientHeight - outer.scrollTop;
      if (left < NEAR) atEnd.value = true;
      else if (outer.scrollTop < top.current - 1) atEnd.value = false;
      top.current = outer.scrollTop;
    };
    const grown = new ResizeObserver(() => {
      if (atEnd.peek()) outer.scrollTop = outer.scrollHeight;
    });
    outer.addEventListener("scroll", onScroll, { passive: true });
    grown.observe(inner);
    grown.observe(outer);
    return () => {
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

/** Keeps what the reader sees where it is when older rows come above it. */
export function useKeptPlace(scroller: RefObject<HTMLElement | null>, first: number): void {
  const seen = useRef<{ first: number; element: Element; top: number } | undefined>(undefined);
  const outer = scroller.current;
  if (outer && seen.current?.first !== first) {
    const edge = outer.getBoundingClientRect().top;
    const element = [...outer.querySelectorAll(".row-of")].find((row) => row.getBoundingClientRect().bottom > edge);
    seen.current = element && { first, element, top: element.getBoundingClientRect().top };
  }
  useLayoutEffect(() => {
    const { element, top } = seen.current ?? {};
    if (!outer || !element?.isConnected || top === undefined) return;
    outer.scrollTop += element.getBoundingClientRect().top - top;
  }, [first]);
}
