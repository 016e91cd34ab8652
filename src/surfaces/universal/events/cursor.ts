import { ParleyError } from "../../../core/errors.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { SessionHead } from "../../../log/contract.ts";
import { resolveCursor } from "../../../log/cursor.ts";
import { type SessionView, sessionView } from "../views.ts";

export interface Gap {
  after: number;
  first: number;
  snapshot: SessionView;
}

/** Where a reader starts: after a number, and what it must be told first when what followed its cursor is gone. */
export interface Start {
  after: number;
  /** The number of the session's newest event. */
  last: number;
  gap?: Gap;
}

/** For one session. */
export async function startIn(gateway: Gateway, session: string, text: string): Promise<Start> {
  const { first, last, lostTo } = await gateway.head(session);
  if (text === "latest") return { after: last, last };
  const cursor = resolveCursor(text, { session, first, last, lostTo });
  if (cursor.ok) return { after: cursor.after, last };
  if (cursor.reason !== "gap") throw new ParleyError("bad_cursor", cursor.message, { reason: cursor.reason, last });
  const base = await gateway.log.base(session);
  if (!base) throw new ParleyError("bad_cursor", cursor.message, { reason: "gap", last });
  const gap = { after: cursor.after, first: base.first, snapshot: sessionView(base.state) };
  return { after: base.first - 1, last, gap };
}

/** The number that a page backwards ends before. */
export function beforeIn({ state, last }: SessionHead, text: string): number {
  if (text === "latest") return last + 1;
  const cursor = resolveCursor(text, { session: state.id, first: 1, last: last + 1 });
  if (cursor.ok) return cursor.after;
  const { reason, message } = cursor;
  const late = `expected a number up to ${last + 1}, which is behind the last event, got ${text}: use one that was received`;
  throw new ParleyError("bad_cursor", reason === "future" ? late : message, { reason, last });
}

/** The gap before the first event that is kept, where older ones were pruned. */
export async function prunedGap(gateway: Gateway, session: string): Promise<Gap | undefined> {
  const base = await gateway.log.base(session);
  return base && { after: 0, first: base.first, snapshot: sessionView(base.state) };
}

/** The gap by which a reader is told of events that are damaged; undefined where they are only forgotten. */
export async function damageGap(
  gateway: Gateway,
  session: string,
  after: number,
  first: number,
): Promise<Gap | undefined> {
  const head = await gateway.head(session);
  if (after < head.first - 1) return undefined;
  return { after, first, snapshot: sessionView(head.state) };
}

/** For all sessions together. */
export async function startInAll(gateway: Gateway, text: string): Promise<Start> {
  const last = await gateway.log.position();
  if (text === "latest") return { after: last, last };
  const cursor = resolveCursor(text, { session: null, first: 1, last, lostTo: await gateway.log.lostTo?.() });
  if (!cursor.ok) throw new ParleyError("bad_cursor", cursor.message, { reason: cursor.reason, last });
  return { after: cursor.after, last };
}
