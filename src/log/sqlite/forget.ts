import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ParleyEvent } from "../../core/events/event.ts";
import { keyOf } from "../../core/events/keys.ts";
import { jsonIn } from "../../core/json/fields.ts";
import { changesState, reduceSession, type SessionState } from "../../core/session-state.ts";
import { assertDeleted } from "../deleted.ts";
import { readState } from "./checksum.ts";
import type { Head, Heads } from "./heads.ts";
import type { LateIndexer } from "./search/late-indexer.ts";
import { preparer } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

/** Rows read or deleted before others have their turn. */
const SLICE = 500;

type CheckOpen = () => void;

/**
 * Forgetting is decided in one small transaction, which moves `first` and marks the session; the rows below `first`, which
 * no reader sees any more, are then swept out in slices.
 */
export function createForget(database: DatabaseSync, heads: Heads, index: Pick<LateIndexer, "forget">) {
  const prepared = preparer(database);
  const stored = prepared<[string], { base: string | null }>("SELECT base FROM sessions WHERE id = ?");
  const boundary = prepared<[number, number, number], { seq: number | null }>(
    "SELECT max(seq) AS seq FROM events WHERE sid = ? AND type = 'turn.started' AND seq > ? AND seq <= ?",
  );
  const history = prepared<[number, number, number, number], { seq: number; type: string; json: string }>(
    "SELECT seq, type, json FROM events WHERE sid = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?",
  );
  const pruned = prepared<[number, string, number]>("UPDATE sessions SET first = ?, base = ?, sweep = 1 WHERE sid = ?");
  const dropNames = prepared<[number, number]>("DELETE FROM names WHERE sid = ? AND seq < ?");
  const dropTold = prepared<[number, number]>("DELETE FROM told WHERE sid = ? AND seq < ?");
  const unlist = prepared<[number]>("DELETE FROM recent WHERE sid = ?");
  const keptTurns = prepared<[number, number], { seq: number; json: string }>(
    "SELECT seq, json FROM events WHERE sid = ? AND type = 'turn.started' AND seq >= ? ORDER BY seq",
  );
  const addName = prepared<[number, string, number]>(
    "INSERT INTO names (sid, name, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const removed = prepared<[number, number]>(
    `UPDATE sessions SET state = NULL, base = NULL, directory = NULL, unsettled = 0, first = ?, sweep = 1 WHERE sid = ?`,
  );
  const tombstone = prepared<[number, number], { json: string }>("SELECT json FROM events WHERE sid = ? AND seq = ?");
  const unswept = prepared<[], { sid: number; first: number }>("SELECT sid, first FROM sessions WHERE sweep = 1");
  const sweepSlice = prepared<[number, number, number]>(`DELETE FROM events WHERE position IN
      (SELECT position FROM events WHERE sid = ? AND seq < ? ORDER BY seq LIMIT ?)`);
  const swept = prepared<[number]>("UPDATE sessions SET sweep = 0 WHERE sid = ?");

  async function sweep(sid: number, first: number, checkOpen: CheckOpen): Promise<void> {
    // First, so that a sweep that was cut short is done again with it.
    while (await index.forget(sid, first)) {
      await nextTurn();
      checkOpen();
    }
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
      const event = readEvent(json);
      const name = event && keyOf(event);
      if (name !== undefined) addName.run(sid, name, seq);
    }
  }

  async function stateBefore(
    { session, sid, first: from }: Head,
    to: number,
    base: string | null,
    checkOpen: CheckOpen,
  ): Promise<SessionState | undefined> {
    let state = readState(session, base);
    let next = from;
    for (;;) {
      checkOpen();
      const rows = history.all(sid, next, to, SLICE);
      for (const { type, json } of rows) {
        const event = changesState(type) ? readEvent(json) : undefined;
        if (event && (state || event.type === "session.started")) state = reduceSession(state, event);
      }
      const lastRow = rows.at(-1);
      if (!lastRow || rows.length < SLICE) return state;
      next = lastRow.seq + 1;
      await nextTurn();
    }
  }

  return {
    async prune(session: string, before: number, checkOpen: CheckOpen): Promise<void> {
      const head = heads.find(session);
      if (!head || head === "removed") return;
      const first = boundary.get(head.sid, head.first, before)?.seq;
      if (!first) return;
      const base = stored.get(session)?.base ?? null;
      const state = (await stateBefore(head, first, base, checkOpen)) ?? head.state;
      checkOpen();
      inTransaction(database, () => {
        pruned.run(first, JSON.stringify(state), head.sid);
        dropNames.run(head.sid, first);
        dropTold.run(head.sid, first);
        renameTurns(head.sid, first);
      });
      heads.drop(session);
      await sweep(head.sid, first, checkOpen);
    },

    async remove(session: string, checkOpen: CheckOpen): Promise<void> {
      checkOpen();
      const head = heads.find(session);
      if (!head || head === "removed") return;
      const json = tombstone.get(head.sid, head.last)?.json;
      assertDeleted(session, readEvent(json), head.state);
      inTransaction(database, () => {
        removed.run(head.last, head.sid);
        dropNames.run(head.sid, head.last + 1);
        dropTold.run(head.sid, head.last + 1);
        unlist.run(head.sid);
      });
      heads.drop(session);
      await sweep(head.sid, head.last, checkOpen);
    },

    /** Deletes the rows that a prune or a remove left behind when it was cut short. */
    async sweepAll(checkOpen: CheckOpen): Promise<void> {
      for (const { sid, first } of unswept.all()) await sweep(sid, first, checkOpen);
    },
  };
}

/** Undefined for an event that is damaged. */
function readEvent(json: unknown): ParleyEvent | undefined {
  return jsonIn(String(json)) as ParleyEvent | undefined;
}
