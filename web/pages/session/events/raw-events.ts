import { type ReadonlySignal, signal } from "@preact/signals";
import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import { api, wordsOf } from "../../../data/api.ts";
import { listen } from "../../../data/feed.ts";

export interface RawStatus {
  events: readonly ParleyEvent[];
  more: boolean;
  loading: boolean;
  failed?: string;
}

export interface RawEvents extends Disposable {
  readonly now: ReadonlySignal<RawStatus>;
  older(): Promise<void>;
  /** Reads older pages until an event's number is among them. */
  reach(seq: number): Promise<void>;
}

const PAGE = 200;
const PACE_MS = 400;

/** A session's events with the agent's own lines: the newest page, older ones on demand, new ones a little after they came. */
export function openRawEvents(session: string): RawEvents {
  const handle = api.session(session);
  const now = signal<RawStatus>({ events: [], more: false, loading: true });
  let previous: number | null = null;
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading: Promise<void> = Promise.resolve();

  const set = (change: Partial<RawStatus>): void => {
    if (!closed) now.value = { ...now.value, ...change };
  };
  /** Reads follow each other, so that pages never overlap. */
  function next(read: () => Promise<void>): Promise<void> {
    reading = reading.then(async () => {
      if (closed) return;
      set({ loading: true });
      try {
        await read();
        set({ loading: false, failed: undefined });
      } catch (error) {
        set({ loading: false, failed: wordsOf(error) });
      }
    });
    return reading;
  }
  async function newest(): Promise<void> {
    const page = await handle.pageBack({ before: "latest", limit: PAGE, native: true });
    previous = page.previous;
    set({ events: page.events, more: previous !== null });
  }
  async function older(): Promise<void> {
    if (previous === null) return;
    const page = await handle.pageBack({ before: previous, limit: PAGE, native: true });
    previous = page.previous;
    set({ events: [...page.events, ...now.value.events], more: previous !== null });
  }
  async function newer(): Promise<void> {
    for (let more = true; more && !closed; ) {
      const page = await handle.page({ after: now.value.events.at(-1)?.seq ?? 0, limit: PAGE, native: true });
      set({ events: [...now.value.events, ...page.events] });
      more = page.more;
    }
  }
  const readSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void next(newer);
    }, PACE_MS);
  };
  const listening = listen(session, { take: readSoon, check: readSoon });
  void next(newest);
  return {
    now,
    older: () => next(older),
    async reach(seq) {
      await reading;
      while (!closed && previous !== null && (now.value.events[0]?.seq ?? 0) > seq && !now.value.failed)
        await next(older);
    },
    [Symbol.dispose]() {
      closed = true;
      clearTimeout(timer);
      listening[Symbol.dispose]();
    },
  };
}
