import type { Feed } from "./event-stream.ts";
import { Losses } from "./losses.ts";
import { pathOf } from "./pages.ts";
import { pause } from "./retry.ts";
import { numberIn } from "./sequence.ts";
import { SseConnection } from "./sse-connection.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import type { StreamEvent } from "./stream-types.ts";
import type { Call, Transport } from "./transport.ts";

/** The state of the connection behind a stream, for a status line: the events are right without it. */
export type ConnectionState = { state: "open" } | { state: "lost"; error: unknown; attempt: number; retryInMs: number };

const SILENCE_MS = 45_000;

function callFor(feed: Feed, cursor: string, signal: AbortSignal): Call {
  const deltas = feed.deltas && (feed.deltas.length === 0 ? "none" : feed.deltas.join(","));
  const query = { after: cursor, native: feed.native || undefined, deltas };
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
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, undefined, undefined> {
  const { silenceMs = SILENCE_MS, giveUpAfterMs = Number.POSITIVE_INFINITY, onConnection } = feed;
  const losses = new Losses(transport.options.backoff, giveUpAfterMs);
  while (!signal.aborted) {
    const connection = new SseConnection(transport, callFor(feed, cursor.text, signal), silenceMs);
    try {
      await connection.open();
      onConnection?.({ state: "open" });
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
      onConnection?.({ state: "lost", error, attempt: losses.attempts, retryInMs });
      await pause(retryInMs, signal);
    } finally {
      connection.close();
    }
  }
  return undefined;
}
