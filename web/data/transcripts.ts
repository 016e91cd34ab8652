import { type ReadonlySignal, signal } from "@preact/signals";
import { NOTHING, type Transcript, withNewer, withOlder } from "../model/transcript/transcript.ts";
import { type Feed, openFeed } from "./feed.ts";

/** A session's transcript in this page, as far as it was read; it follows the session. */
export interface OpenTranscript extends Disposable {
  readonly now: ReadonlySignal<Transcript>;
  readonly feed: Feed;
}

export function openTranscript(session: string): OpenTranscript {
  const now = signal(NOTHING);
  const feed = openFeed(session, {
    newer(events) {
      now.value = withNewer(now.value, events);
    },
    older(events) {
      now.value = withOlder(now.value, events);
    },
    restart() {
      now.value = NOTHING;
    },
  });
  return {
    now,
    feed,
    [Symbol.dispose]: () => feed[Symbol.dispose](),
  };
}
