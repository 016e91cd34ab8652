import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type FoldRow, planFold } from "../fold-plan.ts";
import { preparer } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

/** Rows looked at in one transaction: a few milliseconds of the event loop. */
const SLICE = 500;

export type Fold = (session: string, upTo: number, checkOpen: () => void) => Promise<void>;

/**
 * Deletes the deltas of completed items. Each slice is a transaction that leaves every `folded` right, and `folded_to`
 * says where the next fold begins: just before the first delta that had to stay.
 */
export function createFold(database: DatabaseSync): Fold {
  const prepared = preparer(database);
  const session = prepared<
    [string],
    { sid: number; folded_to: number; last: number | null }
  >(`SELECT sid, folded_to, (SELECT max(seq) FROM events WHERE events.sid = sessions.sid) AS last
     FROM sessions WHERE id = ? AND state IS NOT NULL`);
  const slice = prepared<[number, number, number, number], FoldRow>(
    "SELECT seq, type, item, folded FROM events WHERE sid = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
  );
  const completed = prepared<[number, string, number], { seq: number | null }>(
    "SELECT max(seq) AS seq FROM events WHERE sid = ? AND item = ? AND type = 'item.completed' AND seq <= ?",
  );
  const drop = prepared<[number, number, number]>("DELETE FROM events WHERE sid = ? AND seq BETWEEN ? AND ?");
  const raise = prepared<[number, number, number]>("UPDATE events SET folded = folded + ? WHERE sid = ? AND seq = ?");
  const following = prepared<[number, number], { seq: number | null }>(
    "SELECT min(seq) AS seq FROM events WHERE sid = ? AND seq > ?",
  );
  const remember = prepared<[number, number]>("UPDATE sessions SET folded_to = ? WHERE sid = ?");

  /** Folds the rows after `from`, and says up to which number it got. */
  function foldSlice(sid: number, from: number, upTo: number, kept: number | undefined): SliceResult {
    const rows = slice.all(sid, from, upTo, SLICE);
    const known = new Map<string, number | undefined>();
    const plan = planFold(rows, (item) => {
      if (!known.has(item)) known.set(item, completed.get(sid, item, upTo)?.seq ?? undefined);
      return known.get(item);
    });
    for (const run of plan.drop) drop.run(sid, run.from, run.to);
    for (const row of plan.raise) raise.run(row.by, sid, row.seq);
    const to = rows.length < SLICE ? upTo : (rows.at(-1)?.seq ?? upTo);
    if (plan.carry > 0) {
      const next = following.get(sid, rows.at(-1)?.seq ?? from)?.seq;
      if (next) raise.run(plan.carry, sid, next);
    }
    const firstKept = kept ?? plan.kept;
    remember.run(firstKept === undefined ? to : firstKept - 1, sid);
    return { to, kept: firstKept };
  }

  return async (id, limit, checkOpen) => {
    const found = session.get(id);
    if (!found) return;
    const upTo = Math.min(limit, found.last ?? 0);
    let done: SliceResult = { to: found.folded_to, kept: undefined };
    while (done.to < upTo) {
      checkOpen();
      const { to, kept } = done;
      done = inTransaction(database, () => foldSlice(found.sid, to, upTo, kept));
      await nextTurn();
    }
  };
}

interface SliceResult {
  to: number;
  kept: number | undefined;
}
