import type { DatabaseSync } from "node:sqlite";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { BackQuery, Between, EventRecord, PickQuery, PlacedRecord, ReadQuery } from "../contract.ts";
import { isTold, USER_MARK } from "../picks.ts";
import { isSoundEvent } from "./checksum.ts";
import type { Damage } from "./damage.ts";
import { isDamage } from "./errors.ts";
import { createRowFinder, type Place } from "./row-finder.ts";
import { prepareLists, preparer } from "./statement.ts";

interface EventRow {
  sid: number;
  seq: number;
  folded: number;
  type: string;
  json: string;
  sum: number | null;
  native?: string | null;
}

interface Bounds {
  sid: number;
  first: number;
}

type AnyRow = EventRow & { session: string; position: number };

/** The columns of a row whose session is known. */
type Columns = [seq: number, folded: number, type: string, json: string, sum: number | null];

const COLUMNS = "e.sid, e.position, e.seq, e.folded, e.type, e.json, e.sum";
const FEW = "e.seq, e.folded, e.type, e.json, e.sum";
const ONE = "FROM events e WHERE e.sid = ? AND e.seq > ? ORDER BY e.seq LIMIT ?";
const BACK = "FROM events e WHERE e.sid = ? AND e.seq < ? AND e.seq >= ? ORDER BY e.seq DESC LIMIT ?";
const BETWEEN = "FROM events e WHERE e.sid = ? AND e.seq > ? AND e.seq < ?";
const TOLD = `e.type IN ('session.updated', 'turn.ended')
  OR (e.type IN ('item.started', 'item.completed') AND instr(e.json, '${USER_MARK}') > 0)`;
// Rows below `first` are forgotten, though a crash may have left some for the next sweep.
const ANY = "FROM events e CROSS JOIN sessions s ON s.sid = e.sid WHERE e.seq >= s.first";
const ALL = `${ANY} AND e.position > ? ORDER BY e.position LIMIT ?`;
const ALL_BACK = `${ANY} AND e.position < ? ORDER BY e.position DESC LIMIT ?`;

export type EventReads = ReturnType<typeof createEventReads>;

/** Gives only events that are as they were written: others are left out, so that their numbers show as a hole. */
export function createEventReads(database: DatabaseSync, damage: Damage) {
  const prepared = preparer(database);
  const bounds = prepared<[string], Bounds>("SELECT sid, first FROM sessions WHERE id = ?");
  const one = prepareLists<[number, number, number], Columns>(database, `SELECT ${FEW} ${ONE}`);
  const back = prepareLists<[number, number, number, number], Columns>(database, `SELECT ${FEW} ${BACK}`);
  const backNative = prepared<[number, number, number, number], EventRow>(`SELECT ${COLUMNS}, e.native ${BACK}`);
  const lastTurn = prepared<[number, number, number], { seq: number | null }>(
    "SELECT max(seq) AS seq FROM events WHERE sid = ? AND type = 'turn.started' AND seq < ? AND seq >= ?",
  );
  const oneNative = prepared<[number, number, number], EventRow>(`SELECT ${COLUMNS}, e.native ${ONE}`);
  const all = prepared<[number, number], AnyRow>(`SELECT ${COLUMNS}, s.id AS session ${ALL}`);
  const allNative = prepared<[number, number], AnyRow>(`SELECT ${COLUMNS}, s.id AS session, e.native ${ALL}`);
  const allBack = prepared<[number, number], AnyRow>(`SELECT ${COLUMNS}, s.id AS session ${ALL_BACK}`);
  const named = prepared<
    [string, string],
    EventRow
  >(`SELECT ${COLUMNS} FROM sessions s JOIN names n ON n.sid = s.sid JOIN events e ON e.sid = n.sid AND e.seq = n.seq
     WHERE s.id = ? AND n.name = ?`);
  const holder = prepared<[string], { id: string }>(
    "SELECT s.id FROM names n JOIN sessions s ON s.sid = n.sid WHERE n.name = ? ORDER BY n.sid LIMIT 1",
  );
  const byPosition = prepared<[number], AnyRow>(
    `SELECT ${COLUMNS}, s.id AS session, e.native FROM events e JOIN sessions s ON s.sid = e.sid WHERE e.position = ?`,
  );
  const finder = createRowFinder(database);
  const picked = prepared<[number, number, number, string, string], EventRow>(
    `SELECT ${COLUMNS} ${BETWEEN} AND e.type = ? AND instr(e.json, ?) > 0 ORDER BY e.seq`,
  );
  const told = prepared<[number, number, number], EventRow>(
    `SELECT ${COLUMNS} FROM told t CROSS JOIN events e ON e.sid = t.sid AND e.seq = t.seq
     WHERE t.sid = ? AND t.seq > ? AND t.seq < ? ORDER BY t.seq`,
  );
  const scanned = prepared<[number, number, number], EventRow>(
    `SELECT ${COLUMNS} ${BETWEEN} AND (${TOLD}) ORDER BY e.seq`,
  );
  const next = prepared<[number, number], { position: number }>(
    "SELECT position FROM events WHERE sid = ? AND seq > ? ORDER BY seq LIMIT 1",
  );
  const untold = prepared<[], { value: number }>("SELECT value FROM meta WHERE name = 'untold'").get()?.value ?? 0;

  /** Some events of a range. Where a page of the file is damaged they are looked for one by one. */
  function between(
    session: string,
    { after, before }: Between,
    rows: (sid: number, from: number) => EventRow[],
    isMeant: (record: EventRecord) => boolean,
  ): EventRecord[] {
    const found = bounds.get(session);
    if (!found) return [];
    const { sid, first } = found;
    const from = Math.max(after, first - 1);
    try {
      return sound(rows(sid, from), toRecord, () => session, sid);
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      const whole = read(session, { after: from, limit: Math.max(0, before - from - 1) });
      return whole.filter((record) => record.seq < before && isMeant(record));
    }
  }

  /** All rows of a query; where a page of the file is damaged, those that can be read one by one. */
  function rowsOf<Row extends EventRow>(read: () => Row[], places: () => Place[], session?: string): (Row | Place)[] {
    try {
      return read();
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      return places().map((place) => rowAt(place, session) as Row | Place);
    }
  }

  function rowAt(place: Place, session: string | undefined): AnyRow | Place {
    try {
      const row = byPosition.get(place.position);
      // The index and the row must speak of the same event.
      return row?.seq === place.seq && (session === undefined || row.session === session) ? row : place;
    } catch {
      return place;
    }
  }

  /** The sound ones of some rows. The others are remembered as damage. */
  function sound<T>(
    rows: readonly (EventRow | Place)[],
    toRecord: (session: string, row: EventRow) => T,
    sessionOf: (row: EventRow) => string | undefined,
    sid?: number,
  ): T[] {
    const records: T[] = [];
    for (const row of rows) {
      const session = "json" in row ? sessionOf(row) : finder.sessionOf(row.sid);
      if (session === undefined) continue;
      if ("json" in row && isSoundEvent(sid ?? row.sid, row)) records.push(toRecord(session, row));
      else if (Number.isSafeInteger(row.seq)) damage.met(session, row.seq);
    }
    return records;
  }

  /** Reads on until the limit is reached: a short page would be taken for the last one. */
  function filled<Row, T>(
    limit: number,
    start: number,
    page: (from: number, count: number) => { rows: Row[]; records: T[] },
    placeOf: (row: Row) => number,
  ): T[] {
    const found: T[] = [];
    for (let from = start; found.length < limit; ) {
      const count = limit - found.length;
      const { rows, records } = page(from, count);
      found.push(...records);
      const last = rows.at(-1);
      if (!last || rows.length < count || records.length === rows.length) break;
      const next = placeOf(last);
      if (next === from) break;
      from = next;
    }
    return found;
  }

  function read(session: string, { after, limit, native }: ReadQuery): EventRecord[] {
    const found = bounds.get(session);
    if (!found) return [];
    const { sid, first } = found;
    const page = (from: number, count: number) => {
      const query = () => (native ? oneNative.all(sid, from, count) : rowsIn(sid, one.all(sid, from, count)));
      const rows = rowsOf(query, () => finder.after(sid, from, count), session);
      return { rows, records: sound(rows, toRecord, () => session, sid) };
    };
    return filled(limit, Math.max(after, first - 1), page, ({ seq }) => seq);
  }

  return {
    read,
    readBack(session: string, { before, limit, native }: BackQuery): EventRecord[] {
      const found = bounds.get(session);
      if (!found) return [];
      const { sid, first } = found;
      const page = (from: number, count: number) => {
        const rows = rowsOf(
          () => (native ? backNative.all(sid, from, first, count) : rowsIn(sid, back.all(sid, from, first, count))),
          () => finder.before(sid, from, first, count),
          session,
        );
        return { rows, records: sound(rows, toRecord, () => session, sid) };
      };
      return filled(limit, before, page, ({ seq }) => seq).reverse();
    },
    pick(session: string, { after, before, type, holding }: PickQuery): EventRecord[] {
      return between(
        session,
        { after, before },
        (sid, from) => picked.all(sid, from, before, type, holding),
        (record) => record.type === type && record.json.includes(holding),
      );
    },
    told(session: string, { after, before }: Between): EventRecord[] {
      const rowsAfter = (sid: number, from: number): EventRow[] => {
        const first = next.get(sid, from)?.position ?? 0;
        return (first > untold ? told : scanned).all(sid, from, before);
      };
      return between(session, { after, before }, rowsAfter, isTold);
    },
    turnStart(session: string, before: number): number | undefined {
      const found = bounds.get(session);
      return (found && lastTurn.get(found.sid, before, found.first)?.seq) ?? undefined;
    },
    readAll({ after, limit, native }: ReadQuery): PlacedRecord[] {
      const page = (from: number, count: number) => {
        const query = () => (native ? allNative : all).all(from, count);
        const rows = rowsOf<AnyRow>(query, () => finder.afterPosition(from, count));
        return { rows, records: sound(rows, toPlaced, (row) => (row as AnyRow).session) };
      };
      return filled(limit, after, page, ({ position }) => position);
    },
    readAllBack({ before, limit }: Omit<BackQuery, "native">): PlacedRecord[] {
      const page = (from: number, count: number) => {
        const rows = rowsOf<AnyRow>(
          () => allBack.all(from, count),
          () => finder.beforePosition(from, count),
        );
        return { rows, records: sound(rows, toPlaced, (row) => (row as AnyRow).session) };
      };
      return filled(limit, before, page, ({ position }) => position).reverse();
    },
    /** The events at some positions, in the same order; those that are forgotten or damaged are left out. */
    at: (positions: readonly number[]): PlacedRecord[] =>
      positions.flatMap((position) => {
        const row = byPosition.get(position);
        if (!row || row.seq < (bounds.get(row.session)?.first ?? 0)) return [];
        const { native: _, ...rest } = row;
        return sound([rest], toPlaced, () => row.session);
      }),
    find(session: string, name: string): ParleyEvent | undefined {
      const row = named.get(session, name);
      const [record] = row ? sound([row], toRecord, () => session) : [];
      return record && (JSON.parse(record.json) as ParleyEvent);
    },
    locate: (name: string) => holder.get(name)?.id,
  };
}

function rowsIn(sid: number, lists: readonly Columns[]): EventRow[] {
  return lists.map(([seq, folded, type, json, sum]) => ({ sid, seq, folded, type, json, sum }));
}

function toRecord(session: string, { seq, folded, type, json, native }: EventRow): EventRecord {
  const record: EventRecord = { session, seq, type, json, folded };
  if (native !== undefined && native !== null) record.native = native;
  return record;
}

function toPlaced(session: string, row: EventRow): PlacedRecord {
  return Object.assign(toRecord(session, row), { position: (row as AnyRow).position });
}
