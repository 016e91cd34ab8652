import { closable, type EventStream, either } from "./closable.ts";
import { type ConnectionState, type Feed, type FollowOptions, follow, startOf } from "./follow.ts";
import { readToEnd } from "./pages.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import type { After, StreamEvent } from "./stream-types.ts";
import type { Transport } from "./transport.ts";

export interface EventsOptions {
  /** Events after this one; from the first one on by default. */
  after?: After;
  /** Whether to wait for what is still to come (default), or to end where the log ends now. */
  follow?: boolean;
  /** With the agent's own lines. */
  native?: boolean;
  /** Ends the stream, quietly. */
  signal?: AbortSignal;
  /** Without a byte for so long a connection counts as dead: 45 s by default, three heartbeats. */
  silenceMs?: number;
  /** For how long to try to get back in before the stream fails: without end by default. */
  giveUpAfterMs?: number;
  onConnection?: (state: ConnectionState) => void;
}

const SILENCE_MS = 45_000;

/** Every event once and in order, over as many connections as it takes. Nothing is sent before the first `next()`. */
export function openEvents(
  transport: Transport,
  session: string | null,
  options: EventsOptions & { after: After },
): EventStream<StreamEvent> {
  const feed: Feed = { session, after: options.after, native: options.native ?? false };
  let cursor: StreamCursor | undefined;

  async function* read(stop: AbortSignal): AsyncGenerator<StreamEvent, undefined, undefined> {
    const { signal, release } = either(stop, options.signal);
    try {
      cursor = await startOf(transport, feed, signal);
      if (options.follow ?? true) yield* follow(transport, feed, cursor, followOptions(options), signal);
      else yield* readToEnd(transport, feed, cursor, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      release();
    }
    return undefined;
  }

  return closable(read, () => cursor?.text ?? String(feed.after));
}

function followOptions({ silenceMs, giveUpAfterMs, onConnection }: EventsOptions): FollowOptions {
  return { silenceMs: silenceMs ?? SILENCE_MS, giveUpAfterMs: giveUpAfterMs ?? Number.POSITIVE_INFINITY, onConnection };
}
