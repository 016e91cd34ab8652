import type { ParleyEvent } from "../../core/events/event.ts";
import { keyOf } from "../../core/events/keys.ts";
import { changesState, reduceSession } from "../../core/session-state.ts";
import { assertDeleted } from "../deleted.ts";
import { planFold } from "../fold-plan.ts";
import { dropRows, type MemoryTables, type Row, type StoredSession } from "./tables.ts";

/** As the record says it, without what the record shares with others. */
const eventOf = ({ record }: Row): ParleyEvent => JSON.parse(record.json) as ParleyEvent;

export function foldSession(tables: MemoryTables, session: StoredSession, limit: number): void {
  const upTo = Math.min(limit, session.last);
  const rows = session.rows.filter(({ record }) => record.seq <= upTo);
  const completed = new Map<string, number>();
  for (const { record, item } of rows)
    if (record.type === "item.completed" && item !== null) completed.set(item, record.seq);
  const plan = planFold(
    rows.map(({ record, item }) => ({ seq: record.seq, type: record.type, item, folded: record.folded })),
    (item) => completed.get(item),
  );
  const raises = new Map(plan.raise.map(({ seq, by }) => [seq, by]));
  const following = session.rows[rows.length]?.record.seq;
  if (plan.carry > 0 && following !== undefined) raises.set(following, plan.carry);
  // Records that readers have are theirs: a row gets a new one.
  for (const row of session.rows) {
    const by = raises.get(row.record.seq);
    if (by !== undefined) row.record = { ...row.record, folded: row.record.folded + by };
  }
  dropRows(tables, session, ({ record: { seq } }) => plan.drop.some(({ from, to }) => seq >= from && seq <= to));
}

export function pruneSession(tables: MemoryTables, session: StoredSession, before: number): void {
  const isStart = ({ record }: Row): boolean => record.type === "turn.started";
  const boundary = session.rows.findLast((row) => isStart(row) && row.record.seq <= before)?.record.seq;
  if (boundary === undefined || boundary <= session.first) return;
  let state = session.base?.state;
  for (const row of session.rows) {
    if (row.record.seq >= boundary) break;
    if (changesState(row.record.type)) state = reduceSession(state, eventOf(row));
  }
  if (!state) return;
  session.first = boundary;
  session.base = { first: boundary, state: JSON.parse(JSON.stringify(state)) };
  dropRows(tables, session, ({ record }) => record.seq < boundary);
  for (const [name, seq] of session.names) if (seq < boundary) session.names.delete(name);
  // A prompt that was queued before the boundary and began its turn after it is found by its turn from now on.
  for (const row of session.rows.filter(isStart)) {
    const name = keyOf(eventOf(row));
    if (name !== undefined && !session.names.has(name)) session.names.set(name, row.record.seq);
  }
}

export function removeSession(tables: MemoryTables, session: StoredSession): void {
  const last = session.rows.at(-1);
  if (!session.state || !last) return;
  assertDeleted(session.session, eventOf(last), session.state);
  dropRows(tables, session, (row) => row !== last);
  Object.assign(session, { state: undefined, removed: true, base: undefined, first: session.last, names: new Map() });
}
