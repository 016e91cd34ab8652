/** The cursor after which a record can be sent without a hole: folded numbers count as seen. */
export function followsOn(cursor: number, record: { seq: number; folded: number }): boolean {
  return record.seq > cursor && record.seq - record.folded - 1 <= cursor;
}

/** Records of one session, cut before each one that does not follow on the one before it. */
export function runsOf<T extends { seq: number; folded: number }>(records: readonly T[]): T[][] {
  const runs: T[][] = [];
  for (const record of records) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && followsOn(last.seq, record)) run.push(record);
    else runs.push([record]);
  }
  return runs;
}

/** The name of the stream of all sessions. The stream of one session has the session's id. */
const ALL = "all";

export function formatCursor(session: string | null, number: number): string {
  return `${session ?? ALL}:${number}`;
}

/** The range of a stream: numbers of one session, or positions over all of them. */
export interface Bounds {
  session: string | null;
  /** The first number that is kept; 1 for the stream of all sessions. */
  first: number;
  last: number;
  /** Numbers up to this one were given out twice. */
  lostTo?: number | undefined;
}

export type CursorResult =
  | { ok: true; after: number }
  | { ok: false; reason: "malformed" | "other_stream" | "future" | "lost"; message: string }
  /** The cursor is valid, but the events after it are no longer kept: the reader goes on from `first`, after the state before it. */
  | { ok: false; reason: "gap"; message: string; after: number; first: number };

/** A cursor with its stream's name, as in SSE ids, or the plain number of `?after=`. */
const SHAPE = /^(?:([A-Za-z0-9_-]+):)?(\d{1,15})$/;

/** Reads a cursor that a client sent for a stream. It refuses a cursor that it cannot honour, and never guesses. */
export function resolveCursor(text: string, bounds: Bounds): CursorResult {
  const match = SHAPE.exec(text);
  const stream = bounds.session ?? ALL;
  if (!match) {
    const message = `expected a cursor like "${stream}:12" or "12", got "${text.slice(0, 100)}"`;
    return { ok: false, reason: "malformed", message };
  }
  const [, name, digits] = match;
  if (name !== undefined && name !== stream) {
    const message = `expected a cursor of the stream "${stream}", got one of "${name}": leave it out to start anew`;
    return { ok: false, reason: "other_stream", message };
  }
  const after = Number(digits);
  if (after > bounds.last) {
    const message = `the cursor ${after} lies after the last number, ${bounds.last}: use one that was received`;
    return { ok: false, reason: "future", message };
  }
  const { lostTo = 0 } = bounds;
  if (after > 0 && after <= lostTo) {
    const message = `the database has lost events up to number ${lostTo}, and the cursor ${after} may be of one of them: leave it out to start anew`;
    return { ok: false, reason: "lost", message };
  }
  if (after < bounds.first - 1) {
    const message = `what followed ${after} is no longer kept: the first kept number is ${bounds.first}`;
    return { ok: false, reason: "gap", message, after, first: bounds.first };
  }
  return { ok: true, after };
}
