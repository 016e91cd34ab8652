import { loadAsks, takeForAsks } from "./asks.ts";
import { checkFeeds, takeForFeeds } from "./feed.ts";
import { takeForNotices } from "./notify.ts";
import { loadSessions, takeForSessions } from "./sessions.ts";
import { createStream } from "./stream.ts";

async function reload(): Promise<void> {
  checkFeeds();
  await Promise.all([loadSessions(), loadAsks()]);
}

/** The stream of this page, and all who hear of its events. */
export const stream = createStream([takeForSessions, takeForAsks, takeForFeeds, takeForNotices], reload);
