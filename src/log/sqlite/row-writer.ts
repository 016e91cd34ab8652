import type { DatabaseSync } from "node:sqlite";
import { tellsAll } from "../picks.ts";
import type { PlannedRow, Target } from "../plan-append.ts";
import { isSettled } from "../settled.ts";
import { eventSum, stateSum } from "./checksum.ts";
import { createRecentWriter } from "./recent.ts";
import { createSpentWriter } from "./spent.ts";
import { preparer } from "./statement.ts";

/** Position, session, number, type, item, JSON, native line and sum. */
export type EventParams = [number, number, number, string, string | null, string | Buffer, string | null, number];

/** Rows of one statement in a flood: each call of the database costs about as much as a tenth of a row. */
const TOGETHER = 16;
const COLUMNS = ["position", "sid", "seq", "type", "item", "json", "native", "sum"] as const;
const ROW = `(${COLUMNS.map(() => "?").join(", ")})`;
const insert = (rows: number): string =>
  `INSERT INTO events (${COLUMNS.join(", ")}) VALUES ${Array(rows).fill(ROW).join(", ")}`;
export const INSERT_EVENT = insert(1);

/** The statements of the append path. They run inside the caller's transaction. */
export function createRowWriter(database: DatabaseSync) {
  const prepared = preparer(database);
  // A session's last event is never deleted, so the greatest position ever given is always among the rows.
  const last = prepared<[], { position: number | null }>("SELECT max(position) AS position FROM events");
  const insertSession = prepared<[string, string | null, string | null]>(
    "INSERT INTO sessions (id, parent, root) VALUES (?, ?, ?)",
  );
  const insertEvent = prepared<EventParams>(INSERT_EVENT);
  const insertEvents = prepared<EventParams[number][]>(insert(TOGETHER));
  // The same text is stored: only its characters need not be made into bytes here.
  const insertBytes = prepared<EventParams>(INSERT_EVENT.replace("?, ?, ?)", "CAST(? AS TEXT), ?, ?)"));
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
      let [position, waiting] = [after, [] as EventParams[number][]];
      const writeWaiting = (): void => {
        for (let at = 0; at < waiting.length; at += COLUMNS.length)
          insertEvent.run(...(waiting.slice(at, at + COLUMNS.length) as EventParams));
        waiting = [];
      };
      for (const { record, event, item, name, spent } of rows) {
        const { seq, type, json, bytes, native = null } = record;
        const sum = eventSum(sid, seq, type, bytes ?? json);
        position += 1;
        if (bytes) {
          writeWaiting();
          insertBytes.run(position, sid, seq, type, item, bytes, native, sum);
        } else waiting.push(position, sid, seq, type, item, json, native, sum);
        if (waiting.length === TOGETHER * COLUMNS.length) {
          insertEvents.run(...waiting);
          waiting = [];
        }
        if (name !== undefined) insertName.run(sid, name, seq);
        if (tellsAll(event)) insertTold.run(sid, seq);
        if (spent) writeSpent(spent);
      }
      writeWaiting();
    },
    writeState(sid: number, { session, state }: Target): void {
      if (!state) return;
      const json = JSON.stringify(state);
      updateState.run(json, stateSum(session, json), state.directory, isSettled(state) ? 0 : 1, session);
      writeRecent(sid, state);
    },
  };
}
