import { either } from "./closable.ts";
import type { FeedReading } from "./event-stream.ts";
import type { EventPage, StreamEvent } from "./stream-types.ts";
import type { Transport } from "./transport.ts";

const PAGE = 500;

export function pathOf(session: string | null, last: "events" | "stream"): string[] {
  return session === null ? ["v1", last] : ["v1", "sessions", session, last];
}

export interface PageQuery {
  session: string | null;
  after?: string | number;
  limit?: number;
  native?: boolean;
  signal?: AbortSignal;
}

export function readPage(transport: Transport, { session, signal, ...query }: PageQuery): Promise<EventPage> {
  return transport.json({ method: "GET", path: pathOf(session, "events"), query, signal, repeatable: true });
}

/** Reads what there is, page by page, and ends. */
export async function* readToEnd(
  { transport, feed, start }: FeedReading,
  stop: AbortSignal,
): AsyncGenerator<StreamEvent, undefined, undefined> {
  const { session, native = false, deltas } = feed;
  const { signal, release } = either(stop, feed.signal);
  try {
    const cursor = await start(signal);
    for (;;) {
      const page = await readPage(transport, { session, native, after: cursor.text, limit: PAGE, signal });
      if (page.gap) yield cursor.gap(page.gap);
      for (const event of page.events) {
        if (signal.aborted) return undefined;
        // Pages of all sessions say no positions; theirs is where the page ends.
        const fresh = session === null ? event : cursor.takeOwn(event);
        const leftOut = deltas && event.type === "item.delta" && !deltas.includes(event.session);
        if (fresh && !leftOut) yield fresh;
      }
      cursor.move(String(page.next), page.next);
      if (!page.more) return undefined;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    release();
  }
  return undefined;
}
