import { messageOf, ParleyError } from "../../core/errors.ts";
import type { Draft, ParleyEvent } from "../../core/events/event.ts";
import { keyOf } from "../../core/events/keys.ts";
import { changesState, reduceSession, type SessionState } from "../../core/session-state.ts";
import type { Entry, LogRecord, NewSession } from "../contract.ts";

/** A longer line of an agent is not kept: it would outweigh the event it caused. */
const MAX_NATIVE_BYTES = 64 * 1024;

export interface Append {
  session: string;
  entries: readonly Entry[];
  create: NewSession | undefined;
  /** The data of heavy entries as JSON, where it was made before. */
  texts?: ReadonlyMap<Entry, string>;
}

/** The data of an append's entries as JSON. An entry that JSON cannot hold has none, and is refused when it is planned. */
export function textsOf({ entries }: Append): Map<Entry, string> {
  const texts = new Map<Entry, string>();
  for (const entry of entries) {
    try {
      texts.set(entry, JSON.stringify(entry.draft.data));
    } catch {}
  }
  return texts;
}

export interface PlannedRow {
  record: LogRecord;
  event: ParleyEvent;
  /** The item a delta belongs to or a completion completes. */
  item: string | null;
  /** The name the event is found by. */
  name: string | undefined;
}

/** A session as a group changes it. A new one has no `sid` until it has its row. */
export interface Target {
  sid: number | undefined;
  session: string;
  parent?: string;
  root?: string;
  first: number;
  last: number;
  state: SessionState | undefined;
  /** The state in the database: the same object while nothing changed it. */
  stored: SessionState | undefined;
}

export interface Planned {
  rows: PlannedRow[];
  target: Target;
}

/** Numbers an append's events and makes what will be stored, or throws why it cannot be taken. */
export function planAppend(
  append: Append,
  found: Target | "removed" | undefined,
  position: number,
  keepNative: boolean,
): Planned {
  const target = targetOf(append, found);
  const rows: PlannedRow[] = [];
  for (const entry of append.entries) {
    const { draft, native } = entry;
    target.last += 1;
    const event = toEvent(target, draft);
    if (!target.state || changesState(event.type)) target.state = reduce(target.state, event);
    const record: LogRecord = {
      session: target.session,
      seq: target.last,
      position: position + rows.length + 1,
      type: event.type,
      json: toJson(event, append.texts?.get(entry)),
      folded: 0,
    };
    if (keepNative && native !== undefined && Buffer.byteLength(native) <= MAX_NATIVE_BYTES) record.native = native;
    rows.push({ record, event, item: itemOf(draft), name: keyOf(event) });
  }
  if (!target.state) {
    throw new ParleyError("invalid", `expected session.started as the first event of ${append.session}, got no event`);
  }
  return { rows, target };
}

function targetOf({ session, create }: Append, found: Target | "removed" | undefined): Target {
  if (!create) {
    if (found && found !== "removed") return { ...found };
    throw new ParleyError("session_not_found", `there is no session ${session}: create it first`, { session });
  }
  if (create.id !== session) {
    throw new ParleyError("invalid", `expected to create ${session}, got a request to create ${create.id}`);
  }
  if (found) {
    const why = found === "removed" ? "existed and was deleted" : "exists";
    throw new ParleyError("invalid", `the session ${session} ${why}: create one with another id`, { session });
  }
  const target: Target = { sid: undefined, session, first: 1, last: 0, state: undefined, stored: undefined };
  if (create.parent !== undefined) target.parent = create.parent;
  if (create.root !== undefined) target.root = create.root;
  return target;
}

function toEvent(target: Target, draft: Draft): ParleyEvent {
  const { session, last: seq, parent, root } = target;
  const { turn, time, source, type, data } = draft;
  return {
    id: `${session}:${seq}`,
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

function toJson(event: ParleyEvent, data: string | undefined): string {
  try {
    if (data === undefined) return JSON.stringify(event);
    const { data: _, ...rest } = event;
    return `${JSON.stringify(rest).slice(0, -1)},"data":${data}}`;
  } catch (thrown) {
    const message = `expected data that JSON can hold in ${event.type}, got: ${messageOf(thrown)}`;
    throw new ParleyError("invalid", message, { session: event.session }, thrown);
  }
}

function itemOf(draft: Draft): string | null {
  if (draft.type === "item.delta") return draft.data.item;
  if (draft.type === "item.completed") return draft.data.item.id;
  return null;
}
