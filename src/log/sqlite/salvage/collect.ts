import type { ParleyEvent } from "../../../core/events/event.ts";
import { isFields, jsonIn, present } from "../../../core/json/fields.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { Spent } from "../../../core/spending/spent.ts";
import { isSoundEvent, isSoundState, readState } from "../checksum.ts";
import { cellsIn } from "./cells.ts";
import type { Pages } from "./pages.ts";

/** A column that may be empty. */
export type Text = string | null;

export interface EventRow {
  position: number;
  sid: number;
  seq: number;
  folded: number;
  type: string;
  item: string | null;
  json: string;
  native: string | null;
  /** Found in a page that was given back: it may have been deleted. */
  free: boolean;
}

export interface SessionRow {
  sid: number;
  id: string;
  parent: string | null;
  root: string | null;
  first: number;
  foldedTo: number;
  /** Deleted: only its last event is kept. */
  removed: boolean;
  state: SessionState | undefined;
  base: SessionState | undefined;
}

export interface Collected {
  events: Map<number, Map<number, EventRow>>;
  sessions: Map<number, SessionRow>;
  /** Also of turns and sessions that are forgotten: nothing else knows of them. */
  spent: Spent[];
}

// The columns after the rowid; those of older rows have no sum.
const EVENT = ["nnnt?t?", "nnnt?t?s"];
const SESSION = ["t???nnnn??", "t???nnnn??s"];
const SPENT = "tntntt?t";

/**
 * All rows that are as they were written, wherever in the file they are: also copies from before a change, and rows that
 * were deleted, which the plan leaves out.
 */
export function collect(pages: Pages): Collected {
  const found: Collected = { events: new Map(), sessions: new Map(), spent: [] };
  for (let number = 1; number <= pages.count; number++) {
    const free = pages.free.has(number);
    for (const { rowid, values } of cellsIn(pages, number, [...EVENT, ...SESSION, SPENT])) {
      if (isSpent(values)) addSpent(found, values);
      else if (typeof values[1] === "string") addSession(found, rowid, values);
      else addEvent(found, { position: rowid, free }, values);
    }
  }
  return found;
}

function addEvent(
  { events }: Collected,
  { position, free }: Pick<EventRow, "position" | "free">,
  values: readonly unknown[],
): void {
  type Values = [null, number, number, number, string, Text, string, Text, number | null];
  const [, sid, seq, folded, type, item, json, native, sum = null] = values as Values;
  if (!isSoundEvent(sid, { seq, type, json, sum })) return;
  const rows = events.get(sid) ?? new Map<number, EventRow>();
  events.set(sid, rows);
  const known = rows.get(seq);
  // An older copy of the same row knows less of what was folded before it.
  if (known && (known.folded > folded || (known.folded === folded && !known.free))) return;
  rows.set(seq, { position, sid, seq, folded, type, item, json, native, free });
}

/** A row of this many columns that begins with a session; its rowid is the first of them. */
function isSpent(values: readonly unknown[]): boolean {
  return values.length === SPENT.length + 1 && typeof values[1] === "string";
}

function addSpent({ spent }: Collected, values: readonly unknown[]): void {
  type Values = [null, string, number, string, number, string, string, Text, string];
  const [, session, seq, root, time, agent, directory, model, json] = values as Values;
  const usage = jsonIn(json);
  if (!session.startsWith("ses_") || !isFields(usage)) return;
  spent.push({ session, seq, root, time, agent, directory, ...present({ model: model ?? undefined }), usage });
}

function addSession({ sessions }: Collected, sid: number, values: readonly unknown[]): void {
  type Values = [null, string, Text, Text, Text, number, number, number, number, Text, Text, number | null];
  const [, id, parent, root, , , first, foldedTo, , state, base, sum = null] = values as Values;
  if (!id.startsWith("ses_") || first < 1) return;
  const row: SessionRow = {
    sid,
    id,
    parent,
    root,
    first,
    foldedTo,
    removed: state === null && first > 1,
    state: isSoundState(id, state, sum) ? (JSON.parse(state) as SessionState) : undefined,
    base: readState(id, base),
  };
  const known = sessions.get(sid);
  if (!known || newer(row, known)) sessions.set(sid, row);
}

/** Whether a copy of a session's row is from later than another. A deletion is final. */
function newer(row: SessionRow, known: SessionRow): boolean {
  if (row.removed !== known.removed) return row.removed;
  if (row.first !== known.first) return row.first > known.first;
  return (row.state?.updated ?? 0) >= (known.state?.updated ?? 0);
}

/** A session whose own row is gone, as its events tell of it. One that may have been deleted stays so. */
export function sessionOfEvents(sid: number, rows: ReadonlyMap<number, EventRow>): SessionRow | undefined {
  const any = [...rows.values()].find(({ free }) => !free);
  if (!any) return undefined;
  const { session: id, parent = null, root = null } = JSON.parse(any.json) as ParleyEvent;
  return { sid, id, parent, root, first: 1, foldedTo: 0, removed: false, state: undefined, base: undefined };
}
