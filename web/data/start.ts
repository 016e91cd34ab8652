import { loadAsks, takeForAsks } from "./asks.ts";
import { takeForFeeds } from "./feed.ts";
import { loadSession, loadSessions, takeForSessions } from "./sessions.ts";
import { createStream } from "./stream.ts";

async function rootOf(session: string): Promise<string> {
  const state = await loadSession(session).catch(() => undefined);
  return state?.value.root ?? session;
}

async function reload(): Promise<void> {
  await loadSessions();
  await loadAsks(rootOf);
}

/** The stream of this page, and all who hear of its events. */
export const stream = createStream([takeForSessions, takeForAsks, takeForFeeds], reload);
