import { signal } from "@preact/signals";

/** How many readers each session has in this page, by its id. */
const readers = signal<ReadonlyMap<string, number>>(new Map());

function count(session: string, by: 1 | -1): void {
  const next = new Map(readers.value);
  const now = (next.get(session) ?? 0) + by;
  if (now > 0) next.set(session, now);
  else next.delete(session);
  readers.value = next;
}

/** The sessions whose text is shown as it is written: the stream brings the deltas of these alone. */
export function watchedSessions(): string[] {
  return [...readers.value.keys()].sort();
}

/** Watches a session until the answer is called. */
export function watchSession(session: string): () => void {
  count(session, 1);
  return () => count(session, -1);
}
