import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ParleyError } from "../../core/errors.ts";
import { keyOf } from "../../core/event-keys.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import { changesState, reduceSession, type SessionState } from "../../core/session-state.ts";
import type { Heads } from "./heads.ts";
import { prepare } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

/** Rows read or deleted before others have their turn. */
const SLICE = 500;

export interface Forget {
  prune(session: string, before: number, checkOpen: () => void): Promise<void>;
  remove(session: string, checkOpen: () => void): Promise<void>;
  /** Deletes what a prune or a remove that was cut short left behind. */
  sweepAll(checkOpen: () => void): Promise<void>;
}

/**
 * Forgetting is decided in one small transaction, which moves `first` and marks the session; the rows below `first`, which
 * no reader sees any more, are then swept out in slices.
 */
export function createForget(database: DatabaseSync, heads: Heads): Forget {
  const stored = prepare<[string], { base: string | null }>(database, "SELECT base FROM sessions WHERE id = ?");
  const boundary = prepare<[number, number, number], { seq: number | null }>(
    database,
    "SELECT max(seq) AS seq FROM events WHERE sid = ? AND type = 'turn.started' AND seq > ? AND seq <= ?",
  );
  const history = prepare<[number, number, number, number], { seq: number; type: string; json: string }>(
    database,
    "SELECT seq, type, json FROM events WHERE sid = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?",
  );
  const pruned = prepare<[number, string, number]>(
    database,
    "UPDATE sessions SET first = ?, base = ?, sweep = 1 WHERE sid = ?",
  );
  const dropNames = prepare<[number, number]>(database, "DELETE FROM names WHERE sid = ? AND seq < ?");
  const keptTurns = prepare<[number, number], { seq: number; json: string }>(
    database,
    "SELECT seq, json FROM events WHERE sid = ? AND type = 'turn.started' AND seq >= ? ORDER BY seq",
  );
  const addName = prepare<[number, string, number]>(
    database,
    "INSERT INTO names (sid, name, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const removed = prepare<[number, number]>(
    database,
    `UPDATE sessions SET state = NULL, base = NULL, directory = NULL, unsettled = 0, first = ?, sweep = 1 WHERE sid = ?`,
  );
  const tombstone = prepare<[number, number], { json: string }>(
    database,
    "SELECT json FROM events WHERE sid = ? AND seq = ?",
  );
  const unswept = prepare<[], { sid: number; first: number }>(
    database,
    "SELECT sid, first FROM sessions WHERE sweep = 1",
  );
  const sweepSlice = prepare<[number, number, number]>(
    database,
    `DELETE FROM events WHERE position IN
      (SELECT position FROM events WHERE sid = ? AND seq < ? ORDER BY seq LIMIT ?)`,
  );
  const swept = prepare<[number]>(database, "UPDATE sessions SET sweep = 0 WHERE sid = ?");

  async function sweep(sid: number, first: number, checkOpen: () => void): Promise<void> {
    for (;;) {
      checkOpen();
      if (Number(sweepSlice.run(sid, first, SLICE).changes) < SLICE) break;
      await nextTurn();
    }
    swept.run(sid);
  }

  /** A prompt that was queued before the boundary and began its turn after it is found by its turn from now on. */
  function renameTurns(sid: number, first: number): void {
    for (const { seq, json } of keptTurns.all(sid, first)) {
      const name = keyOf(JSON.parse(json) as ParleyEvent);
      if (name !== undefined) addName.run(sid, name, seq);
    }
  }

  async function stateBefore(sid: number, from: number, to: number, base: string | null, checkOpen: () => void) {
    let state: SessionState | undefined = base === null ? undefined : JSON.parse(base);
    let next = from;
    for (;;) {
      checkOpen();
      const rows = history.all(sid, next, to, SLICE);
      for (const { type, json } of rows) {
        if (changesState(type)) state = reduceSession(state, JSON.parse(json) as ParleyEvent);
      }
      const lastRow = rows.at(-1);
      if (!lastRow || rows.length < SLICE) return state;
      next = lastRow.seq + 1;
      await nextTurn();
    }
  }

  return {
    async prune(session, before, checkOpen) {
      const head = heads.find(session);
      if (!head || head === "removed") return;
      const first = boundary.get(head.sid, head.first, before)?.seq;
      if (!first) return;
      const base = stored.get(session)?.base ?? null;
      const state = await stateBefore(head.sid, head.first, first, base, checkOpen);
      checkOpen();
      inTransaction(database, () => {
        pruned.run(first, JSON.stringify(state), head.sid);
        dropNames.run(head.sid, first);
        renameTurns(head.sid, first);
      });
      heads.drop(session);
      await sweep(head.sid, first, checkOpen);
    },

    async remove(session, checkOpen) {
      checkOpen();
      const head = heads.find(session);
      if (!head || head === "removed") return;
      const json = tombstone.get(head.sid, head.last)?.json;
      assertDeleted(session, json && JSON.parse(json));
      inTransaction(database, () => {
        removed.run(head.last, head.sid);
        dropNames.run(head.sid, head.last + 1);
      });
      heads.drop(session);
      await sweep(head.sid, head.last, checkOpen);
    },

    async sweepAll(checkOpen) {
      for (const { sid, first } of unswept.all()) await sweep(sid, first, checkOpen);
    },
  };
}

function assertDeleted(session: string, last: ParleyEvent | undefined): void {
  if (last?.type === "session.ended" && last.data.reason === "deleted") return;
  const message = `expected session.ended with the reason "deleted" as the last event of ${session}, got ${last?.type}: append it first`;
  throw new ParleyError("invalid", message, { session });
}
