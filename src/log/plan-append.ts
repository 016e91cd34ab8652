import { messageOf, ParleyError } from "../core/errors.ts";
import type { Draft, ParleyEvent } from "../core/events/event.ts";
import { keyOf } from "../core/events/keys.ts";
import { present } from "../core/json/fields.ts";
import { changesState, reduceSession, type SessionState } from "../core/session-state.ts";
import { type Spent, spentOf } from "../core/spending/spent.ts";
import type { Entry, EventRecord, ReadQuery } from "./contract.ts";
import type { Right } from "./holds.ts";
import { joined, type Written } from "./written.ts";

/** A longer line of an agent is not stored beside its event. */
const MAX_NATIVE_BYTES = 64 * 1024;

export interface Append {
  right: Right;
  /** The number that its events follow on. */
  after: number;
  entries: readonly Entry[];
  /** The data of heavy entries as JSON, where it was made before. */
  texts?: ReadonlyMap<Entry, Written>;
}

export interface PlannedRow {
  record: EventRecord;
  event: ParleyEvent;
  /** The item a delta belongs to or a completion completes. */
  item: string | null;
  /** The name the event is found by. */
  name: string | undefined;
  /** Kept beside the event where it ends a turn that has spent something. */
  spent?: Spent;
}

/** A session as an append changes it. */
export interface Target {
  session: string;
  parent?: string;
  root?: string;
  first: number;
  last: number;
  state: SessionState | undefined;
}

export interface Planned<T extends Target> {
  rows: PlannedRow[];
  target: T;
  /** Set for a repeat: its events are stored already, and `storedBefore` makes sure of it. */
  repeated?: true;
}

export interface PlanOptions<T extends Target> {
  keepNative: boolean;
  /** The session as it is stored; a removed one's id stays taken. */
  found: T | "removed" | undefined;
  /** A session that has nothing stored yet. */
  fresh(target: Target): T;
}

/** Makes the rows of an append. Throws a refusal when it cannot be taken. */
export function planAppend<T extends Target>(append: Append, options: PlanOptions<T>): Planned<T> {
  const { after, entries, right } = append;
  const target = targetOf(append, options);
  if (entries.length > 0 && after < target.last) {
    if (after < right.since || after + entries.length > target.last) throw doesNotFollow(append, target);
    return { rows: [], target, repeated: true };
  }
  if (entries.length > 0 && after > target.last) throw doesNotFollow(append, target);
  const rows: PlannedRow[] = [];
  for (const entry of entries) {
    const { draft, native } = entry;
    target.last += 1;
    const event = toEvent(target, draft);
    if (!target.state || changesState(event.type)) target.state = reduce(target.state, event);
    const { json, bytes } = toJson(event, append.texts?.get(entry));
    const record: EventRecord = { session: target.session, seq: target.last, type: event.type, json, folded: 0 };
    if (bytes) record.bytes = bytes;
    if (options.keepNative && native !== undefined && isShort(native)) record.native = native;
    const row: PlannedRow = { record, event, item: itemOf(draft), name: keyOf(event) };
    const spent = event.type === "turn.ended" && target.state ? spentOf(target.state, event) : undefined;
    if (spent) row.spent = spent;
    rows.push(row);
  }
  if (!target.state) {
    throw new ParleyError("invalid", `expected session.started as the first event of ${right.session}, got no event`);
  }
  return { rows, target };
}

function targetOf<T extends Target>({ right }: Append, { found, fresh }: PlanOptions<T>): T {
  const { session, create } = right;
  if (found && found !== "removed") return { ...found };
  if (!create || found) throw notFound(session);
  const { parent, root } = create;
  return fresh({ session, ...present({ parent, root }), first: 1, last: 0, state: undefined });
}

/** The way to read what a repeated append stored before. */
export function repeatQuery({ after, entries }: Append): ReadQuery {
  return { after, limit: entries.length, native: true };
}

/** The records of a repeated append, among those that were read. Only the holder writes, so the events with these numbers are its own. */
export function storedBefore(append: Append, target: Target, read: readonly EventRecord[]): EventRecord[] {
  const { after, entries } = append;
  const records = read.filter(({ seq }) => seq <= after + entries.length);
  for (const { seq, json } of records) {
    const entry = entries[seq - after - 1];
    const expected = entry && toJson(toEvent({ ...target, last: seq }, entry.draft), undefined);
    if (json !== expected?.json) throw doesNotFollow(append, target);
  }
  return records;
}

function doesNotFollow({ right, after, entries }: Append, { last }: Target): ParleyError {
  const { session } = right;
  const got = `${entries.length} events after ${after}`;
  const message = `expected events after ${last}, the last number of ${session}, got ${got}: append what follows on it`;
  return new ParleyError("invalid", message, { session, last });
}

/** Refuses to create a session whose id is taken. */
export function assertFree(session: string, found: object | "removed" | undefined): void {
  if (!found) return;
  const why = found === "removed" ? "existed and was deleted" : "exists";
  throw new ParleyError("invalid", `the session ${session} ${why}: create one with another id`, { session });
}

export function notFound(session: string): ParleyError {
  return new ParleyError("session_not_found", `there is no session ${session}: create it first`, { session });
}

function toEvent(target: Target, draft: Draft): ParleyEvent {
  const { session, last: seq, parent, root } = target;
  const { turn, time, source, type, data } = draft;
  const id = `${session}:${seq}`;
  // Most events are pieces of a turn: to put such an object together from parts costs several times as much.
  if (turn !== undefined && parent === undefined && root === undefined)
    return { id, seq, session, turn, time, source, type, data } as ParleyEvent;
  return {
    id,
    seq,
    session,
    ...(turn !== undefined && { turn }),
    ...(parent !== undefined && { parent }),
    ...(root !== undefined && { root }),
    time,
    source,
    type,
    data,
  } as ParleyEvent;
}

function reduce(state: SessionState | undefined, event: ParleyEvent): SessionState {
  try {
    return reduceSession(state, event);
  } catch (thrown) {
    throw new ParleyError("invalid", messageOf(thrown), { session: event.session }, thrown);
  }
}

function toJson(event: ParleyEvent, written: Written | undefined): Pick<EventRecord, "json" | "bytes"> {
  try {
    if (!written) return { json: JSON.stringify(event) };
    const { data: _, ...rest } = event;
    return joined(`${JSON.stringify(rest).slice(0, -1)},"data":`, written, "}");
  } catch (thrown) {
    const message = `expected data that JSON can hold in ${event.type}, got: ${messageOf(thrown)}`;
    throw new ParleyError("invalid", message, { session: event.session }, thrown);
  }
}

/** No character has more than three bytes for each of its units, so that most lines need not be counted. */
function isShort(native: string): boolean {
  return native.length * 3 <= MAX_NATIVE_BYTES || Buffer.byteLength(native) <= MAX_NATIVE_BYTES;
}

function itemOf(draft: Draft): string | null {
  if (draft.type === "item.delta") return draft.data.item;
  if (draft.type === "item.completed") return draft.data.item.id;
  return null;
}
