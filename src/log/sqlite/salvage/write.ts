import type { DatabaseSync } from "node:sqlite";
import type { ParleyEvent } from "../../../core/events/event.ts";
import { keyOf } from "../../../core/events/keys.ts";
import { present } from "../../../core/json/fields.ts";
import type { Spent } from "../../../core/spending/spent.ts";
import { isSettled } from "../../settled.ts";
import { eventSum, stateSum } from "../checksum.ts";
import { createRecentWriter } from "../recent.ts";
import { createSpentWriter } from "../spent.ts";
import { prepare } from "../statement.ts";
import { inTransaction } from "../transaction.ts";
import type { EventRow, Text } from "./collect.ts";
import { type SavedSession, showRanges } from "./plan.ts";

type EventParams = [number, number, number, number, string, Text, string, Text, number];
type SessionParams = [number, string, Text, Text, Text, number, number, number, Text, Text, number | null];

/** Writes the saved sessions, with the numbers and positions that their events had. */
export function writeSessions(database: DatabaseSync, sessions: readonly SavedSession[], now: number): void {
  const event = prepare<EventParams>(
    database,
    `INSERT INTO events (position, sid, seq, folded, type, item, json, native, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const name = prepare<[number, string, number]>(
    database,
    "INSERT INTO names (sid, name, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const session = prepare<SessionParams>(
    database,
    `INSERT INTO sessions (sid, id, parent, root, directory, unsettled, first, folded_to, state, base, sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const recent = createRecentWriter(database);
  let end = sessions.reduce((most, { rows }) => rows.reduce((max, { position }) => Math.max(max, position), most), 0);
  const taken = new Set<number>();

  function write(row: EventRow): void {
    const { sid, seq, folded, type, item, json, native } = row;
    // Of two rows with one position one was damaged. Which one is not known: the later goes to the end.
    const position = taken.has(row.position) ? ++end : row.position;
    taken.add(position);
    event.run(position, sid, seq, folded, type, item, json, native, eventSum(sid, seq, type, json));
    const key = keyOf(JSON.parse(json) as ParleyEvent);
    if (key !== undefined) name.run(sid, key, seq);
  }

  for (const saved of sessions) {
    inTransaction(database, () => {
      const { sid, id, parent, root, first, foldedTo, state, base } = saved;
      const json = state ? JSON.stringify(state) : null;
      const unsettled = state && !isSettled(state) ? 1 : 0;
      const kept = base ? JSON.stringify(base) : null;
      const sum = json === null ? null : stateSum(id, json);
      const folded = Math.min(foldedTo, saved.last);
      session.run(sid, id, parent, root, state?.directory ?? null, unsettled, first, folded, json, kept, sum);
      if (state) recent(sid, state);
      for (const row of saved.rows) write(row);
      if (saved.lost.length > 0 && !saved.removed) write(noteOf(saved, ++end, now));
    });
  }
  // Nothing that was saved is in the table of what sessions told: it is found by looking through all events.
  prepare<[number]>(database, "UPDATE meta SET value = ? WHERE name = 'untold'").run(end);
}

/** Writes the spending that was found. What is missing of it is counted anew from the events by the next start. */
export function writeSpent(database: DatabaseSync, found: readonly Spent[]): void {
  const write = createSpentWriter(database);
  inTransaction(database, () => {
    for (const spent of found) write(spent);
    database.exec("UPDATE meta SET value = (SELECT coalesce(max(position), 0) FROM events) WHERE name = 'uncounted'");
  });
}

/** Adds an event to the session that names the lost numbers. It also keeps a lost number from being given out again. */
function noteOf({ sid, id, parent, root, last, lost }: SavedSession, position: number, time: number): EventRow {
  const seq = last + 1;
  const text = `The log was damaged and repaired: the events ${showRanges(lost)} of this session are lost.`;
  const kin = present({ parent: parent ?? undefined, root: root ?? undefined });
  const said = { time, source: "parley", type: "session.note", data: { text } };
  const json = JSON.stringify({ id: `${id}:${seq}`, seq, session: id, ...kin, ...said });
  return { position, sid, seq, folded: 0, type: "session.note", item: null, json, native: null, free: false };
}
