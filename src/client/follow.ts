import { Losses } from "./losses.ts";
import { pause } from "./retry.ts";
import { numberIn } from "./sequence.ts";
import { SseConnection } from "./sse-connection.ts";
import { StreamCursor } from "./stream-cursor.ts";
import type { After, EventPage, StreamEvent } from "./stream-types.ts";
import type { Call, Transport } from "./transport.ts";

/** A stream of events: one session's, or (null) that of all sessions. */
export interface Feed {
  session: string | null;
  after: After;
  native: boolean;
}

/** The state of the connection behind a stream, for a status line: the events are right without it. */
export type ConnectionState = { state: "open" } | { state: "lost"; error: unknown; attempt: number; retryInMs: number };

export interface FollowOptions {
  /** Without a byte for so long, not even a heartbeat, a connection counts as dead. */
  silenceMs: number;
  /** For how long to try to get back in before the stream fails. */
  giveUpAfterMs: number;
  onConnection?: (state: ConnectionState) => void;
}

export function pathOf(session: string | null, last: "events" | "stream"): string[] {
  return session === null ? ["v1", last] : ["v1", "sessions", session, last];
}

/**
 * The first cursor. `latest` becomes a number before anything else: a connection that broke before its first event would
 * otherwise come back later than it left, and nobody would know what it missed.
 */
export async function startOf(transport: Transport, feed: Feed, signal: AbortSignal): Promise<StreamCursor> {
  if (feed.after !== "latest") return new StreamCursor(feed.session, String(feed.after));
  const path = pathOf(feed.session, "events");
  const query = { after: "latest", limit: 1 };
  const page = await transport.json<EventPage>({ method: "GET", path, query, signal, repeatable: true });
  return new StreamCursor(feed.session, String(page.next));
}

function callFor(feed: Feed, cursor: string, signal: AbortSignal): Call {
  const query = { after: cursor, native: feed.native || undefined };
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (numberIn(cursor) !== undefined) headers["last-event-id"] = cursor;
  return { method: "GET", path: pathOf(feed.session, "stream"), query, headers, signal };
}

/** Whether nothing can follow in a session's stream. */
function isLast(event: StreamEvent, session: string | null): boolean {
  return session !== null && event.type === "session.ended" && event.data.reason === "deleted";
}

/** Follows a stream over as many connections as it takes. */
export async function* follow(
  transport: Transport,
  feed: Feed,
  cursor: StreamCursor,
  options: FollowOptions,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, undefined, undefined> {
  const losses = new Losses(transport.options.backoff, options.giveUpAfterMs);
  while (!signal.aborted) {
    const connection = new SseConnection(transport, callFor(feed, cursor.text, signal), options.silenceMs);
    try {
      await connection.open();
      options.onConnection?.({ state: "open" });
      for (;;) {
        const batch = await connection.read();
        if (batch.retryMs !== undefined) losses.baseMs = batch.retryMs;
        for (const message of batch.messages) {
          if (signal.aborted) return undefined;
          const event = cursor.take(message);
          if (!event) continue;
          losses.reset();
          yield event;
          if (isLast(event, feed.session)) return undefined;
        }
        if (batch.alive) losses.reset();
      }
    } catch (error) {
      connection.close();
      if (signal.aborted) return undefined;
      const retryInMs = losses.next(error, cursor.text);
      options.onConnection?.({ state: "lost", error, attempt: losses.attempts, retryInMs });
      await pause(retryInMs, signal);
    } finally {
      connection.close();
    }
  }
  return undefined;
}
