import { useEffect, useMemo, useRef } from "preact/hooks";
import { onKeys } from "../../../data/keyboard.ts";
import { markSeen } from "../../../data/seen.ts";
import type { OpenTranscript } from "../../../data/transcripts.ts";
import { ShownSession } from "../context.ts";
import { toggleFold } from "./folds.ts";
import { useFollowing, useKeptPlace } from "./follow.ts";
import { Nested } from "./nested.tsx";
import { TranscriptTop, TranscriptView } from "./transcript.tsx";

interface Props {
  open: OpenTranscript;
  directory: string;
  /** The event that the address names. */
  seq?: number;
}

/** The turn that the keys go to. */
function chosenTurn(scroller: HTMLElement): HTMLElement | undefined {
  const focused = document.activeElement?.closest(".turn");
  return focused instanceof HTMLElement && scroller.contains(focused) ? focused : undefined;
}

function moveTurn(scroller: HTMLElement, step: 1 | -1): void {
  const turns = [...scroller.querySelectorAll<HTMLElement>(".transcript > .turn")];
  const chosen = chosenTurn(scroller);
  const edge = scroller.getBoundingClientRect().top + 8;
  const at = chosen ? turns.indexOf(chosen) : turns.findLastIndex((turn) => turn.getBoundingClientRect().top <= edge);
  const next = turns[Math.min(turns.length - 1, Math.max(0, at + (chosen || step < 0 ? step : 1)))];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
}

/** The innermost thing whose first event is not after a number. */
function placeOf(scroller: HTMLElement, seq: number): HTMLElement | undefined {
  const places = [...scroller.querySelectorAll<HTMLElement>("[data-at]")].filter(
    (one) => !one.closest(".sub-agent-body"),
  );
  return places.findLast((one) => Number(one.dataset.at) <= seq);
}

/** What a running turn says within such a time is noted as seen together: the browser's storage is slow. */
const NOTED_MS = 1_000;

function useSeen({ feed, now }: OpenTranscript): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      clearTimeout(timer);
      timer = undefined;
      if (!document.hidden && now.peek().turns.length > 0) markSeen(feed.session, Date.now());
    };
    const stop = now.subscribe(({ turns }) => {
      // A turn that is over would be called unread meanwhile.
      if (turns.at(-1)?.end) look();
      else timer ??= setTimeout(look, NOTED_MS);
    });
    document.addEventListener("visibilitychange", look);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", look);
      if (timer !== undefined) look();
    };
  }, [feed, now]);
}

/** A session's transcript with its own scrolling: it follows the end, reads older pages at the top, and finds an event. */
export function Reader({ open, directory, seq }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const { feed, now } = open;
  const status = feed.status.value;
  const following = useFollowing(scroller, content);
  useKeptPlace(scroller, content, status.first, following);

  useEffect(() => {
    if (!top.current || !scroller.current) return;
    const near = new IntersectionObserver(
      ([entry]) => {
        const { state, more } = feed.status.peek();
        if (entry?.isIntersecting && state === "ready" && more && !following.atEnd.peek()) void feed.older();
      },
      { root: scroller.current, rootMargin: "600px 0px 0px 0px" },
    );
    near.observe(top.current);
    return () => near.disconnect();
  }, [feed, status.first, following.atEnd]);

  useEffect(() => {
    if (seq === undefined) return;
    let over = false;
    void feed.reach(seq).then(() => {
      // What was just read is drawn first.
      requestAnimationFrame(() => {
        const place = over || !scroller.current ? undefined : placeOf(scroller.current, seq);
        if (!place) return;
        following.atEnd.value = false;
        for (const old of document.querySelectorAll(".marked")) old.classList.remove("marked");
        place.classList.add("marked");
        place.scrollIntoView({ block: "center" });
        // Rows that were out of sight have their size only now.
        requestAnimationFrame(() => place.scrollIntoView({ block: "center" }));
      });
    });
    return () => {
      over = true;
    };
  }, [feed, seq]);

  useSeen(open);

  useEffect(
    () =>
      onKeys({
        next: () => scroller.current && moveTurn(scroller.current, 1),
        previous: () => {
          following.atEnd.value = false;
          if (scroller.current) moveTurn(scroller.current, -1);
        },
        fold: () => {
          const turn = scroller.current && chosenTurn(scroller.current)?.dataset.turn;
          if (turn) toggleFold(turn);
        },
      }),
    [],
  );

  const shown = useMemo(() => ({ session: feed.session, directory, Nested }), [feed, directory]);
  return (
    <div class="reader">
      <div
        class={following.atEnd.value ? "reader-scroll following" : "reader-scroll"}
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by the keyboard
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Transcript"
      >
        <div class="transcript" ref={content}>
          <div class="top" ref={top} />
          <TranscriptTop status={status} onOlder={() => void feed.older()} />
          <ShownSession.Provider value={shown}>
            <TranscriptView now={now} />
          </ShownSession.Provider>
          {status.state === "ready" && now.value.turns.length === 0 && (
            <p class="empty">Nothing was said yet. Write a prompt below.</p>
          )}
        </div>
      </div>
      {!following.atEnd.value && (
        <button type="button" class="button to-end" onClick={following.toEnd}>
          ↓ To the end
        </button>
      )}
    </div>
  );
}
