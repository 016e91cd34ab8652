import type { ParleyEvent } from "../../../core/events/event.ts";
import { SCHEMA_VERSION } from "../../../core/events/version.ts";
import { reduceSession, type SessionState } from "../../../core/session-state.ts";
import { followsOn } from "../../cursor.ts";
import { type Collected, type EventRow, type SessionRow, sessionOfEvents } from "./collect.ts";

export interface Range {
  from: number;
  to: number;
}

/** A session as it will be in the new log. */
export interface SavedSession extends SessionRow {
  rows: EventRow[];
  lost: Range[];
  /** The greatest number that was ever given out, as far as it is known. */
  last: number;
}

/** Decides which rows of each session are kept. `lastOf` knows the newest number by the index, where that can be read. */
export function planSessions({ events, sessions }: Collected, lastOf: (sid: number) => number): SavedSession[] {
  const sids = new Set([...sessions.keys(), ...events.keys()]);
  return [...sids]
    .sort((a, b) => a - b)
    .flatMap((sid) => {
      const found = events.get(sid) ?? new Map<number, EventRow>();
      const session = sessions.get(sid) ?? sessionOfEvents(sid, found);
      return session ? [planSession(session, found, lastOf(sid))] : [];
    });
}

function planSession(session: SessionRow, found: ReadonlyMap<number, EventRow>, indexed: number): SavedSession {
  const sorted = [...found.values()].filter(({ seq }) => seq >= session.first).sort((a, b) => a.seq - b.seq);
  const rows = withoutFolded(sorted);
  const lost: Range[] = [];
  let cursor = session.first - 1;
  for (const row of rows) {
    row.folded = Math.min(row.folded, Math.max(0, row.seq - cursor - 1));
    if (!followsOn(cursor, row)) lost.push({ from: cursor + 1, to: row.seq - row.folded - 1 });
    cursor = row.seq;
  }
  const last = Math.max(cursor, indexed);
  if (last > cursor) lost.push({ from: cursor + 1, to: last });
  const whole = lost.length === 0 && session.first === 1;
  const state = session.removed ? undefined : stateOf(session, rows, whole);
  return { ...session, state, rows, lost, last };
}

/** Leaves out rows that a later one counts as folded away: they are older copies. */
function withoutFolded(sorted: readonly EventRow[]): EventRow[] {
  let folded = Number.POSITIVE_INFINITY;
  return sorted
    .toReversed()
    .filter((row) => {
      // Only deltas are ever folded: a count that says more was damaged itself.
      if (row.seq >= folded && row.type === "item.delta") return false;
      folded = row.seq - row.folded;
      return true;
    })
    .reverse();
}

function stateOf(session: SessionRow, rows: readonly EventRow[], whole: boolean): SessionState {
  if (!whole && session.state) return session.state;
  let state = session.base;
  for (const { json } of rows) {
    const event = JSON.parse(json) as ParleyEvent;
    state = reduceSession(state ?? (event.type === "session.started" ? undefined : unknownStart(event)), event);
  }
  return state ?? session.state ?? unknownStart(emptyEvent(session.id));
}

function emptyEvent(session: string): Pick<ParleyEvent, "session" | "time"> {
  return { session, time: 0 };
}

/** A first event for a session whose own first event is lost. */
function unknownStart({ session, time }: Pick<ParleyEvent, "session" | "time">): SessionState {
  const data = { agent: "unknown", directory: "/", version: SCHEMA_VERSION };
  return reduceSession(undefined, {
    id: `${session}:1`,
    seq: 1,
    session,
    time,
    source: "parley",
    type: "session.started",
    data,
  });
}

export function showRanges(ranges: readonly Range[]): string {
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}

export function countOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}
