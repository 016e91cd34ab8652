import type { DatabaseSync } from "node:sqlite";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { BackQuery, LogRecord, ReadQuery } from "../contract.ts";
import { prepare } from "./statement.ts";

interface EventRow {
  position: number;
  seq: number;
  folded: number;
  type: string;
  json: string;
  native?: string | null;
}

const COLUMNS = "e.position, e.seq, e.folded, e.type, e.json";
const ONE = "FROM events e WHERE e.sid = ? AND e.seq > ? ORDER BY e.seq LIMIT ?";
const BACK = "FROM events e WHERE e.sid = ? AND e.seq < ? AND e.seq >= ? ORDER BY e.seq DESC LIMIT ?";
// Rows below `first` are forgotten, though a crash may have left some for the next sweep.
const ALL = `FROM events e CROSS JOIN sessions s ON s.sid = e.sid
  WHERE e.position > ? AND e.seq >= s.first ORDER BY e.position LIMIT ?`;

export interface EventReads {
  read(session: string, query: ReadQuery): LogRecord[];
  readBack(session: string, query: BackQuery): LogRecord[];
  turnStart(session: string, before: number): number | undefined;
  readAll(query: ReadQuery): LogRecord[];
  find(session: string, name: string): ParleyEvent | undefined;
  locate(name: string): string | undefined;
}

export function createEventReads(database: DatabaseSync): EventReads {
  const bounds = prepare<[string], { sid: number; first: number }>(
    database,
    "SELECT sid, first FROM sessions WHERE id = ?",
  );
  const one = prepare<[number, number, number], EventRow>(database, `SELECT ${COLUMNS} ${ONE}`);
  const back = prepare<[number, number, number, number], EventRow>(database, `SELECT ${COLUMNS} ${BACK}`);
  const lastTurn = prepare<[number, number, number], { seq: number | null }>(
    database,
    "SELECT max(seq) AS seq FROM events WHERE sid = ? AND type = 'turn.started' AND seq < ? AND seq >= ?",
  );
  const oneNative = prepare<[number, number, number], EventRow>(database, `SELECT ${COLUMNS}, e.native ${ONE}`);
  const all = prepare<[number, number], EventRow & { session: string }>(
    database,
    `SELECT ${COLUMNS}, s.id AS session ${ALL}`,
  );
  const allNative = prepare<[number, number], EventRow & { session: string }>(
    database,
    `SELECT ${COLUMNS}, s.id AS session, e.native ${ALL}`,
  );
  const named = prepare<[string, string], { json: string }>(
    database,
    `SELECT e.json FROM sessions s JOIN names n ON n.sid = s.sid JOIN events e ON e.sid = n.sid AND e.seq = n.seq
     WHERE s.id = ? AND n.name = ?`,
  );
  const holder = prepare<[string], { id: string }>(
    database,
    "SELECT s.id FROM names n JOIN sessions s ON s.sid = n.sid WHERE n.name = ? ORDER BY n.sid LIMIT 1",
  );

  return {
    read(session, { after, limit, native }) {
      const found = bounds.get(session);
      if (!found) return [];
      const rows = (native ? oneNative : one).all(found.sid, Math.max(after, found.first - 1), limit);
      return rows.map((row) => toRecord(session, row));
    },
    readBack(session, { before, limit }) {
      const found = bounds.get(session);
      if (!found) return [];
      const rows = back.all(found.sid, before, found.first, limit).reverse();
      return rows.map((row) => toRecord(session, row));
    },
    turnStart(session, before) {
      const found = bounds.get(session);
      return (found && lastTurn.get(found.sid, before, found.first)?.seq) ?? undefined;
    },
    readAll({ after, limit, native }) {
      return (native ? allNative : all).all(after, limit).map((row) => toRecord(row.session, row));
    },
    find(session, name) {
      const row = named.get(session, name);
      return row && (JSON.parse(row.json) as ParleyEvent);
    },
    locate: (name) => holder.get(name)?.id,
  };
}

function toRecord(session: string, { position, seq, folded, type, json, native }: EventRow): LogRecord {
  const record: LogRecord = { session, seq, position, type, json, folded };
  if (native !== undefined && native !== null) record.native = native;
  return record;
}
