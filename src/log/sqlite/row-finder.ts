import type { DatabaseSync } from "node:sqlite";
import { prepare } from "./statement.ts";

/** Where an event's row should be, by the index alone. */
export interface Place {
  sid: number;
  seq: number;
  position: number;
}

/** Finds rows without reading them: for a file of which some pages cannot be read. */
export function createRowFinder(database: DatabaseSync) {
  const FROM = "SELECT sid, seq, position FROM events INDEXED BY events_seq WHERE";
  const after = prepare<[number, number, number], Place>(database, `${FROM} sid = ? AND seq > ? ORDER BY seq LIMIT ?`);
  const before = prepare<[number, number, number, number], Place>(
    database,
    `${FROM} sid = ? AND seq < ? AND seq >= ? ORDER BY seq DESC LIMIT ?`,
  );
  // Through the whole index: slow, but only a damaged log is read like this.
  const all = prepare<[number, number], Place>(database, `${FROM} sid > 0 AND position > ? ORDER BY position LIMIT ?`);
  const allBack = prepare<[number, number], Place>(
    database,
    `${FROM} sid > 0 AND position < ? ORDER BY position DESC LIMIT ?`,
  );
  const session = prepare<[number], { id: string }>(database, "SELECT id FROM sessions WHERE sid = ?");
  return {
    after: (sid: number, seq: number, limit: number) => after.all(sid, seq, limit),
    /** The newest first, as in `beforePosition`. */
    before: (sid: number, seq: number, first: number, limit: number) => before.all(sid, seq, first, limit),
    afterPosition: (position: number, limit: number) => all.all(position, limit),
    beforePosition: (position: number, limit: number) => allBack.all(position, limit),
    sessionOf: (sid: number) => session.get(sid)?.id,
  };
}
