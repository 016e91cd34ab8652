import type { DatabaseSync } from "node:sqlite";
import { tellsAll } from "../picks.ts";
import type { PlannedRow, Target } from "../plan-append.ts";
import { isSettled } from "../settled.ts";
import { eventSum, stateSum } from "./checksum.ts";
import { createRecentWriter } from "./recent.ts";
import { createSpentWriter } from "./spent.ts";
import { preparer } from "./statement.ts";

/** Position, session, number, type, item, JSON, native line and sum. */
type EventParams = [number, number, number, string, string | null, string, string | null, number];

/** The statements of the append path. They run inside the caller's transaction. */
export function createRowWriter(database: DatabaseSync) {
  const prepared = preparer(database);
  // A session's last event is never deleted, so the greatest position ever given is always among the rows.
  const last = prepared<[], { position: number | null }>("SELECT max(position) AS position FROM events");
  const insertSession = prepared<[string, string | null, string | null]>(
    "INSERT INTO sessions (id, parent, root) VALUES (?, ?, ?)",
  );
  const insertEvent = prepared<EventParams>(
    "INSERT INTO events (position, sid, seq, type, item, json, native, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const insertName = prepared<[number, string, number]>(
    "INSERT INTO names (sid, name, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const insertTold = prepared<[number, number]>("INSERT INTO told (sid, seq) VALUES (?, ?)");
  const writeSpent = createSpentWriter(database);
  const writeRecent = createRecentWriter(database);
  const updateState = prepared<[string, number, string, number, string]>(
    "UPDATE sessions SET state = ?, sum = ?, directory = ?, unsettled = ? WHERE id = ?",
  );

  return {
    lastPosition: () => last.get()?.position ?? 0,
    /** Makes the session's row and gives the number by which its events refer to it. */
    createSession({ session, parent, root }: Target): number {
      return Number(insertSession.run(session, parent ?? null, root ?? null).lastInsertRowid);
    },
    /** Gives the events the positions after `after`. */
    writeEvents(sid: number, rows: readonly PlannedRow[], after: number): void {
      let position = after;
      for (const { record, event, item, name, spent } of rows) {
        const { seq, type, json, native } = record;
        position += 1;
        insertEvent.run(position, sid, seq, type, item, json, native ?? null, eventSum(sid, seq, type, json));
        if (name !== undefined) insertName.run(sid, name, seq);
        if (tellsAll(event)) insertTold.run(sid, seq);
        if (spent) writeSpent(spent);
      }
    },
    writeState(sid: number, { session, state }: Target): void {
      if (!state) return;
      const json = JSON.stringify(state);
      updateState.run(json, stateSum(session, json), state.directory, isSettled(state) ? 0 : 1, session);
      writeRecent(sid, state);
    },
  };
}
