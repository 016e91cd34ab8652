import type { ParleyEvent } from "../../core/events/event.ts";
import type { Database } from "../../postgres/database.ts";
import type { BackQuery, Between, EventRecord, PickQuery, PlacedRecord, ReadQuery } from "../contract.ts";
import { USER_MARK } from "../picks.ts";
import type { Held } from "./held.ts";
import { fromBytes, toArray, toColumn } from "./texts.ts";

interface EventRow {
  session: string;
  seq: number;
  folded: number;
  type: string;
  json: string;
  native?: Uint8Array | null;
  position: number;
}

const COLUMNS = "e.seq, e.folded, e.type, e.json";
const SID = "e.sid = (SELECT sid FROM sessions WHERE id = $1)";
const KEPT = "e.seq >= (SELECT first FROM sessions WHERE id = $1)";

const BETWEEN = `${SID} AND ${KEPT} AND e.seq > $2 AND e.seq < $3`;

export interface Wanted {
  session: string;
  /** Numbers greater than this one. */
  after: number;
}

export type EventReads = ReturnType<typeof createEventReads>;

export function createEventReads({ query }: Pick<Database, "query">) {
  return {
    async read(session: string, { after, limit, native = false }: ReadQuery): Promise<EventRecord[]> {
      const sql = "SELECT * FROM read_v1($1, $2, $3, $4)";
      const rows = await query<EventRow>(sql, [toColumn(session), after, limit, native]);
      return rows.map((row) => toRecord(session, row));
    },
    async readBack(session: string, { before, limit, native = false }: BackQuery): Promise<EventRecord[]> {
      const sql = "SELECT * FROM read_back_v1($1, $2, $3, $4)";
      const rows = await query<EventRow>(sql, [toColumn(session), before, limit, native]);
      return rows.reverse().map((row) => toRecord(session, row));
    },
    /** The next events of several sessions, at most so many of each, by one statement. */
    async readMany(wanted: readonly Wanted[], limit: number, native: boolean): Promise<EventRecord[]> {
      const rows = await query<EventRow>(
        `SELECT s.id AS session, e.* FROM unnest($1::text[], $2::bigint[]) w(id, after) JOIN sessions s ON s.id = w.id
         CROSS JOIN LATERAL (SELECT ${COLUMNS}${native ? ", e.native" : ""} FROM events e
           WHERE e.sid = s.sid AND e.seq > w.after AND e.seq >= s.first ORDER BY e.seq LIMIT $3) e
         ORDER BY s.id, e.seq`,
        [toArray(wanted.map(({ session }) => toColumn(session))), toArray(wanted.map(({ after }) => after)), limit],
      );
      return rows.map((row) => toRecord(row.session, row));
    },
    async pick(session: string, { after, before, type, holding }: PickQuery): Promise<EventRecord[]> {
      const rows = await query<EventRow>(
        `SELECT ${COLUMNS} FROM events e WHERE ${BETWEEN} AND e.type = $4 AND strpos(e.json, $5) > 0 ORDER BY e.seq`,
        [toColumn(session), after, before, type, holding],
      );
      return rows.map((row) => toRecord(session, row));
    },
    async told(session: string, { after, before }: Between): Promise<EventRecord[]> {
      const rows = await query<EventRow>(
        `SELECT ${COLUMNS} FROM events e WHERE ${BETWEEN} AND (e.type IN ('session.updated', 'turn.ended')
           OR (e.type IN ('item.started', 'item.completed') AND strpos(e.json, $4) > 0)) ORDER BY e.seq`,
        [toColumn(session), after, before, USER_MARK],
      );
      return rows.map((row) => toRecord(session, row));
    },
    async turnStart(session: string, before: number): Promise<number | undefined> {
      const [row] = await query<{ seq: number | null }>(
        `SELECT max(e.seq) AS seq FROM events e WHERE ${SID} AND ${KEPT} AND e.type = 'turn.started' AND e.seq < $2`,
        [toColumn(session), before],
      );
      return row?.seq ?? undefined;
    },
    async readAll({ after, limit, native = false }: ReadQuery): Promise<PlacedRecord[]> {
      return (await query<EventRow>("SELECT * FROM read_all_v1($1, $2, $3)", [after, limit, native])).map(toPlaced);
    },
    async readAllBack({ before, limit }: Omit<BackQuery, "native">): Promise<PlacedRecord[]> {
      const rows = await query<EventRow>("SELECT * FROM read_all_back_v1($1, $2, false)", [before, limit]);
      return rows.reverse().map(toPlaced);
    },
    async position(): Promise<number> {
      const [row] = await query<{ position: number }>("SELECT coalesce(max(position), 0) AS position FROM commits");
      return row?.position ?? 0;
    },
    async find(session: string, name: string): Promise<ParleyEvent | undefined> {
      const [row] = await query<{ json: string }>(
        `SELECT e.json FROM sessions s JOIN names n ON n.sid = s.sid JOIN events e ON e.sid = n.sid AND e.seq = n.seq
         WHERE s.id = $1 AND n.name = $2`,
        [toColumn(session), toColumn(name)],
      );
      return row && (JSON.parse(row.json) as ParleyEvent);
    },
    async locate(name: string): Promise<string | undefined> {
      const [row] = await query<{ id: string }>(
        "SELECT s.id FROM names n JOIN sessions s ON s.sid = n.sid WHERE n.name = $1 ORDER BY n.sid LIMIT 1",
        [toColumn(name)],
      );
      return row?.id;
    },
    /** Whether a hold is its session's newest. One of a session that is not stored yet holds what nobody else can. */
    async holds({ sid, epoch }: Held): Promise<boolean> {
      if (sid === undefined) return true;
      const rows = await query("SELECT 1 FROM owners WHERE sid = $1 AND epoch = $2 AND NOT released", [sid, epoch]);
      return rows.length > 0;
    },
  };
}

function toRecord(session: string, { seq, folded, type, json, native }: EventRow): EventRecord {
  const record: EventRecord = { session, seq, type, json, folded };
  if (native !== undefined && native !== null) record.native = fromBytes(native);
  return record;
}

function toPlaced(row: EventRow): PlacedRecord {
  return Object.assign(toRecord(row.session, row), { position: row.position });
}
