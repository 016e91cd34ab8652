import type { OptionNames } from "./check-options.ts";
import { closable, type EventStream } from "./closable.ts";
import { type ConnectionState, follow } from "./follow.ts";
import type { TakePiece } from "./handover.ts";
import { readPage, readToEnd } from "./pages.ts";
import { StreamCursor } from "./stream-cursor.ts";
import type { After, StreamEvent } from "./stream-types.ts";
import type { Transport } from "./transport.ts";

export interface EventsOptions {
  /** Events after this one; from the first one on by default. */
  after?: After;
  /** Whether to wait for future events (default), or to end where the log ends now. */
  follow?: boolean;
  /** With the agent's own lines. */
  native?: boolean;
  /** Ends the stream, quietly. */
  signal?: AbortSignal;
  /** Without a byte for so long, not even a heartbeat, a connection counts as dead: 45 s by default, three heartbeats. */
  silenceMs?: number;
  /** For how long to try to get back in before the stream fails: without end by default. */
  giveUpAfterMs?: number;
  onConnection?: (state: ConnectionState) => void;
}

export const EVENTS_OPTIONS: OptionNames<EventsOptions> = {
  after: true,
  follow: true,
  native: true,
  signal: true,
  silenceMs: true,
  giveUpAfterMs: true,
  onConnection: true,
};

export interface AllEventsOptions extends EventsOptions {
  /** The sessions whose `item.delta` come, by their ids; those of all sessions by default. */
  deltas?: readonly string[];
}

export const ALL_EVENTS_OPTIONS: OptionNames<AllEventsOptions> = { ...EVENTS_OPTIONS, deltas: true };

/** A stream of events: one session's, or (null) that of all sessions. */
export interface Feed extends AllEventsOptions {
  session: string | null;
  after: After;
  /** Takes pieces within the call in which a server of this process stored them, while the stream is being waited for. They are not in the stream then. */
  takePiece?: TakePiece;
}

/** The way in which a feed is read. */
export interface FeedReading {
  transport: Transport;
  feed: Feed;
  start(signal: AbortSignal): Promise<StreamCursor>;
}

/**
 * The first cursor. `latest` becomes a number before anything else: a connection that broke before its first event would
 * otherwise come back later than it left, and nobody would know what it missed.
 */
async function startOf(transport: Transport, { session, after }: Feed, signal: AbortSignal): Promise<StreamCursor> {
  if (after !== "latest") return new StreamCursor(session, String(after));
  const page = await readPage(transport, { session, after, limit: 1, signal });
  return new StreamCursor(session, String(page.next));
}

/** Every event once and in order, over as many connections as it takes. Nothing is sent before the first `next()`. */
export function openEvents(transport: Transport, feed: Feed): EventStream<StreamEvent> {
  let cursor: StreamCursor | undefined;
  const start = async (signal: AbortSignal): Promise<StreamCursor> => {
    cursor = await startOf(transport, feed, signal);
    return cursor;
  };
  const read = (feed.follow ?? true) ? follow : readToEnd;
  return closable(
    (stop) => read({ transport, feed, start }, stop),
    () => cursor?.text ?? String(feed.after),
  );
}
