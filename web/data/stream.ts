import type { ParleyEvent } from "../../src/core/events/event.ts";
import { api, isSignedOut, wordsOf } from "./api.ts";
import { connection } from "./connection.ts";
import { perFrame } from "./frames.ts";

/** Hears of the events of all sessions, in their order, once a frame. */
export type Taker = (event: ParleyEvent) => void;

/** An open stream that was silent for so long is dead; the server sends a word every 15 s. */
const SILENCE_MS = 40_000;
/** Positions may skip, so a small distance says nothing. */
const BEHIND = 50;
const RESTART_MS = 2_000;

function positionIn(cursor: string): number {
  return Number(cursor.slice(cursor.lastIndexOf(":") + 1)) || 0;
}

/**
 * The one stream of this page. It begins at the end of the log, before anything else is read, and goes on over as many
 * connections as it takes. Where its cursor means nothing any more, `reload` reads everything anew.
 */
export function createStream(takers: readonly Taker[], reload: () => Promise<void>) {
  let stop: AbortController | undefined;
  let cursor: string | undefined;
  let loaded: Promise<void> | undefined;
  let goal = 0;
  let watched: readonly string[] = [];

  const frames = perFrame<ParleyEvent>((events) => {
    for (const event of events) for (const take of takers) take(event);
  });

  function tell(): void {
    const left = goal - positionIn(cursor ?? "");
    connection.value = left > BEHIND ? { kind: "behind", by: left } : { kind: "live" };
  }

  /** Looks how far the log is, so that the page can say what it has not shown yet. */
  async function look(): Promise<void> {
    goal = (await api.page({ after: "latest", limit: 1 })).next;
    tell();
  }

  /** The cursor first: what happens while the rest is read comes by the stream. */
  async function load(): Promise<void> {
    cursor = `all:${(await api.page({ after: "latest", limit: 1 })).next}`;
    await reload();
  }

  async function follow(signal: AbortSignal): Promise<void> {
    const stream = api.allEvents({
      after: cursor ?? "latest",
      deltas: watched,
      signal,
      silenceMs: SILENCE_MS,
      onConnection: (state) => {
        if (state.state === "open") void look().catch(() => {});
        else
          connection.value = { kind: "reconnecting", why: wordsOf(state.error), nextTry: Date.now() + state.retryInMs };
      },
    });
    for await (const event of stream) {
      cursor = stream.cursor;
      frames.push(event);
      if (connection.value.kind !== "live") tell();
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        loaded ??= load();
        await loaded;
        await follow(signal);
      } catch (error) {
        if (isSignedOut(error)) {
          connection.value = { kind: "signed-out" };
          return;
        }
        // The cursor lies beyond the log, or the server says something impossible: everything is read anew.
        loaded = undefined;
        connection.value = { kind: "reconnecting", why: wordsOf(error), nextTry: Date.now() + RESTART_MS };
        await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
      }
    }
  }

  function start(): void {
    stop?.abort();
    stop = new AbortController();
    void run(stop.signal);
  }

  return {
    start,
    /** Ends the connection; `start` goes on from where it was. */
    pause(): void {
      stop?.abort();
      stop = undefined;
    },
    isRunning: () => stop !== undefined,
    /** The sessions whose deltas the page wants. */
    watch(sessions: readonly string[]): void {
      if (sessions.join() === watched.join()) return;
      watched = [...sessions];
      if (stop) start();
    },
  };
}
