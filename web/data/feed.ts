import { type ReadonlySignal, signal } from "@preact/signals";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import { api, wordsOf } from "./api.ts";
import { FIRST_EVENTS } from "./early.ts";
import { perFrame } from "./frames.ts";

/** The reader of one session's events in this page: the newest page first, older ones on demand, new ones as they come. */
export interface Feed extends Disposable {
  readonly session: string;
  readonly status: ReadonlySignal<FeedStatus>;
  /** Reads the page before the oldest one. */
  older(): Promise<void>;
  /** Reads older pages until the event with this number is among them. */
  reach(seq: number): Promise<void>;
}

export interface FeedStatus {
  /** `failed`: the reading of a page; `older` or a new event tries again. */
  state: "loading" | "ready" | "failed";
  why?: string;
  /** Whether there is something before the oldest event that was read. */
  more: boolean;
  /** The number of the oldest event that was read. */
  first: number;
}

/** Hears of events in their order. Pages of older events come as a whole. */
export interface FeedReader {
  newer(events: readonly ParleyEvent[]): void;
  older(events: readonly ParleyEvent[]): void;
  /** The log changed under the reader (it was restored, or old turns are gone): all events are told anew. */
  restart(): void;
}

const PAGE = 400;
/** The first events are on the screen before the page before them is read. */
const FILL_MS = 50;

interface Listener {
  take(event: ParleyEvent): void;
  /** Reads what the stream may not have told, because it began after the listener did. */
  check?(): void;
}

const feeds = new Map<string, Set<Listener>>();
const followed = signal<readonly string[]>([]);

/** The sessions that have a feed: their deltas are wanted. */
export const followedSessions: ReadonlySignal<readonly string[]> = followed;

/** Takes an event of the stream of all sessions. */
export function takeForFeeds(event: ParleyEvent): void {
  for (const { take } of feeds.get(event.session) ?? []) take(event);
}

/** The stream begins, or begins anew: what was read before may lack what happened until now. */
export function checkFeeds(): void {
  for (const listeners of feeds.values()) for (const { check } of listeners) check?.();
}

/** Hears of a session's events as the stream tells them, until the answer is disposed of. */
export function listen(session: string, listener: Listener): Disposable {
  const listeners = feeds.get(session) ?? new Set();
  listeners.add(listener);
  feeds.set(session, listeners);
  followed.value = [...feeds.keys()].sort();
  return {
    [Symbol.dispose]() {
      listeners.delete(listener);
      if (listeners.size > 0 || feeds.get(session) !== listeners) return;
      feeds.delete(session);
      followed.value = [...feeds.keys()].sort();
    },
  };
}

/** Whether no event is missing between a number and this event: deltas of completed items are folded away. */
export function followsOn(last: number, { seq, folded = 0 }: Pick<ParleyEvent, "seq" | "folded">): boolean {
  return seq - folded - 1 <= last;
}

export function openFeed(session: string, reader: FeedReader): Feed {
  const status = signal<FeedStatus>({ state: "loading", more: false, first: 0 });
  const set = (change: Partial<FeedStatus>): void => {
    status.value = { ...status.value, ...change };
  };
  let closed = false;
  let previous: number | null = null;
  let reading: Promise<void> | undefined;
  let waiting: ParleyEvent[] = [];

  const frames = perFrame<ParleyEvent>((events) => {
    if (!closed) reader.newer(events);
  });
  let last = 0;

  /** One read at a time; events of the stream wait meanwhile. */
  function alone(read: () => Promise<void>): Promise<void> {
    reading ??= read()
      .catch((error: unknown) => set({ state: "failed", why: wordsOf(error) }))
      .finally(() => {
        reading = undefined;
        const late = waiting;
        waiting = [];
        for (const event of late) take(event);
      });
    return reading;
  }

  /** One read after those that are under way. */
  async function next(read: () => Promise<void>): Promise<void> {
    while (reading) await reading;
    if (!closed) await alone(read);
  }

  async function begin(): Promise<void> {
    const page = await api.session(session).pageBack({ before: "latest", limit: FIRST_EVENTS });
    if (closed) return;
    previous = page.previous;
    reader.newer(page.events);
    last = page.events.at(-1)?.seq ?? 0;
    set({ state: "ready", more: previous !== null, first: page.events[0]?.seq ?? 0 });
    if (previous !== null) setTimeout(() => void next(readOlder), FILL_MS);
  }

  /** Reads what the stream has left out. */
  async function catchUp(): Promise<void> {
    if (last === 0) return begin();
    for (let more = true; more && !closed; ) {
      const page = await api.session(session).page({ after: last, limit: PAGE });
      if (page.gap) return restart();
      for (const event of page.events) frames.push(event);
      last = page.events.at(-1)?.seq ?? last;
      more = page.more;
    }
    set({ state: "ready" });
  }

  async function restart(): Promise<void> {
    frames.flush();
    reader.restart();
    await begin();
  }

  function take(event: ParleyEvent): void {
    if (closed) return;
    if (reading) return void waiting.push(event);
    if (event.seq <= last) return;
    if (status.value.state === "failed" && last === 0) return void alone(begin);
    if (!followsOn(last, event)) return void alone(catchUp);
    last = event.seq;
    frames.push(event);
  }

  const listening = listen(session, { take, check: () => void next(catchUp) });
  void alone(begin);

  async function readOlder(): Promise<void> {
    if (previous === null) return;
    const page = await api.session(session).pageBack({ before: previous, limit: PAGE });
    if (closed) return;
    previous = page.previous;
    reader.older(page.events);
    set({ state: "ready", more: previous !== null, first: page.events[0]?.seq ?? status.value.first });
  }

  return {
    session,
    status,
    older: () => alone(readOlder),
    async reach(seq) {
      await reading;
      while (!closed && previous !== null && status.value.first > seq && status.value.state === "ready")
        await alone(readOlder);
    },
    [Symbol.dispose]() {
      closed = true;
      listening[Symbol.dispose]();
    },
  };
}
