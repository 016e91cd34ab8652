import { either } from "./closable.ts";
import type { Feed, FeedReading } from "./event-stream.ts";
import { EventHandover, type TakePiece } from "./handover.ts";
import { Losses } from "./losses.ts";
import { pathOf } from "./pages.ts";
import { pause } from "./retry.ts";
import { numberIn } from "./sequence.ts";
import { type Batch, SseConnection } from "./sse-connection.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import type { StreamEvent } from "./stream-types.ts";
import type { Call } from "./transport.ts";

/** The state of the connection behind a stream, for a status line: the events are right without it. */
export type ConnectionState = { state: "open" } | { state: "lost"; error: unknown; attempt: number; retryInMs: number };

const SILENCE_MS = 45_000;

function callFor(feed: Feed, cursor: string, signal: AbortSignal, takePiece: TakePiece | undefined): Call {
  const deltas = feed.deltas && (feed.deltas.length === 0 ? "none" : feed.deltas.join(","));
  const query = { after: cursor, native: feed.native || undefined, deltas };
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (numberIn(cursor) !== undefined) headers["last-event-id"] = cursor;
  const call: Call = { method: "GET", path: pathOf(feed.session, "stream"), query, headers, signal };
  // Positions in the stream of all sessions are not part of the events.
  if (feed.session !== null) call.handover = new EventHandover(takePiece);
  return call;
}

/** Whether nothing can follow in a session's stream. */
function isLast(event: StreamEvent, session: string | null): boolean {
  return session !== null && event.type === "session.ended" && event.data.reason === "deleted";
}

/** The events of a batch that come next. The cursor steps on with each one that is asked for, and not once it is over. */
function* eventsIn({ messages, handed = [] }: Batch, cursor: StreamCursor, over: AbortSignal): Generator<StreamEvent> {
  for (const message of messages) {
    const event = over.aborted ? undefined : cursor.take(message);
    if (event) yield event;
  }
  for (const given of handed) {
    const event = over.aborted ? undefined : cursor.takeOwn(given);
    if (event) yield event;
  }
}

/** Lets pieces pass that come next. */
function piecesFor(take: TakePiece, cursor: StreamCursor, losses: Losses, over: AbortSignal): TakePiece {
  return (piece) => {
    const event = over.aborted ? undefined : cursor.takeOwn(piece);
    if (!event) return undefined;
    losses.reset();
    return take(event);
  };
}

/** Follows a stream over as many connections as it takes. Ends quietly when it is stopped. */
export async function* follow(
  { transport, feed, start }: FeedReading,
  stop: AbortSignal,
): AsyncGenerator<StreamEvent, undefined, undefined> {
  const { signal, release } = either(stop, feed.signal);
  const { silenceMs = SILENCE_MS, giveUpAfterMs = Number.POSITIVE_INFINITY, onConnection } = feed;
  const losses = new Losses(transport.options.backoff, giveUpAfterMs);
  try {
    const cursor = await start(signal);
    const takePiece = feed.takePiece && piecesFor(feed.takePiece, cursor, losses, signal);
    while (!signal.aborted) {
      const connection = new SseConnection(transport, callFor(feed, cursor.text, signal, takePiece), silenceMs);
      try {
        await connection.open();
        onConnection?.({ state: "open" });
        for (;;) {
          const batch = await connection.read();
          if (batch.retryMs !== undefined) losses.baseMs = batch.retryMs;
          for (const event of eventsIn(batch, cursor, signal)) {
            losses.reset();
            yield event;
            if (isLast(event, feed.session)) return undefined;
          }
          if (signal.aborted) return undefined;
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
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    release();
  }
  return undefined;
}
