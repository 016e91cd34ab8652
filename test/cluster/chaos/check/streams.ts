import type { Commit, StoredEvent, Violation, Watch } from "../records.ts";

const keyOf = ({ session, seq }: { session: string; seq: number }): string => `${session}:${seq}`;

/** The positions of the events that are stored. */
export function positionsOf(commits: readonly Commit[], events: readonly StoredEvent[]): Map<string, number> {
  const stored = new Set(events.map(keyOf));
  const positions = new Map<string, number>();
  for (const { position, session, from, to } of commits) {
    for (let seq = from; seq <= to; seq++)
      if (stored.has(keyOf({ session, seq }))) positions.set(keyOf({ session, seq }), position - (to - seq));
  }
  return positions;
}

/**
 * Each stream of all sessions grows strictly, has every event once from where it began to where it was left, and has the order
 * of whoever reads later. Events that are gone now, because they were folded, may be in it or not.
 */
export function checkWatches(watches: readonly Watch[], positions: ReadonlyMap<string, number>): Violation[] {
  const told = new Map<string, { position: number; client: string }>();
  const ordered = [...positions].sort(([, a], [, b]) => a - b);
  return watches.flatMap(({ client, after, events }) => {
    const violations: Violation[] = [];
    const broken = (message: string): void => void violations.push({ rule: "all-stream", message });
    const got = new Set<string>();
    let last = after;
    for (const event of events) {
      const key = keyOf(event);
      const { position } = event;
      if (position <= last) broken(`${client} got ${key} at ${position} after ${last}`);
      last = Math.max(last, position);
      if (got.has(key)) broken(`${client} got ${key} twice`);
      got.add(key);
      const final = positions.get(key);
      if (final !== undefined && final !== position) broken(`${client} got ${key} at ${position}, it is at ${final}`);
      const before = told.get(key);
      if (before && before.position !== position)
        broken(`${client} got ${key} at ${position}, ${before.client} at ${before.position}`);
      told.set(key, { position, client });
    }
    for (const [key, position] of ordered)
      if (position > after && position <= last && !got.has(key)) broken(`${client} never got ${key} at ${position}`);
    return violations;
  });
}
