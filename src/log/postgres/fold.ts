import type { Database } from "../../postgres/database.ts";
import { type FoldRow, planFold } from "../fold-plan.ts";
import { fenced } from "../holds.ts";
import type { Held } from "./held.ts";
import { toArray } from "./texts.ts";

/** Rows looked at for one transaction. */
const SLICE = 500;

interface SliceResult {
  to: number;
  kept: number | undefined;
}

/**
 * Deletes the deltas of completed items. Each slice is a transaction that leaves every `folded` right, and `folded_to`
 * says where the next fold begins: just before the first delta that had to stay.
 */
export function createFold({ query, change }: Pick<Database, "query" | "change">) {
  async function completed(sid: number, rows: readonly FoldRow[], upTo: number): Promise<Map<string, number>> {
    const items = new Set(rows.flatMap(({ type, item }) => (type === "item.delta" && item !== null ? [item] : [])));
    if (items.size === 0) return new Map();
    const found = await query<{ item: string; seq: number }>(
      `SELECT item, max(seq) AS seq FROM events
       WHERE sid = $1 AND type = 'item.completed' AND item = ANY ($2::text[]) AND seq <= $3 GROUP BY item`,
      [sid, toArray([...items]), upTo],
    );
    return new Map(found.map(({ item, seq }) => [item, seq]));
  }

  /** Folds the rows after `from`, and says up to which number it got. */
  async function foldSlice(
    { sid, epoch, session }: Held,
    from: number,
    upTo: number,
    kept: number | undefined,
  ): Promise<SliceResult> {
    const rows = await query<FoldRow>(
      "SELECT seq, type, item, folded FROM events WHERE sid = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4",
      [sid ?? 0, from, upTo, SLICE],
    );
    const ends = await completed(sid ?? 0, rows, upTo);
    const { drop, raise, carry, kept: stays } = planFold(rows, (item) => ends.get(item));
    const last = rows.at(-1)?.seq;
    const to = rows.length < SLICE ? upTo : (last ?? upTo);
    const firstKept = kept ?? stays;
    const [row] = await change<{ done: boolean }>(
      "SELECT fold_v1($1, $2, $3::bigint[], $4::bigint[], $5::bigint[], $6::int[], $7, $8, $9) AS done",
      [
        sid ?? 0,
        epoch,
        toArray(drop.map((run) => run.from)),
        toArray(drop.map((run) => run.to)),
        toArray(raise.map(({ seq }) => seq)),
        toArray(raise.map(({ by }) => by)),
        last ?? from,
        carry,
        firstKept === undefined ? to : firstKept - 1,
      ],
    );
    if (!row?.done) throw fenced(session);
    return { to, kept: firstKept };
  }

  return async (held: Held, limit: number, check: () => void): Promise<void> => {
    if (held.sid === undefined) return;
    const [found] = await query<{ folded_to: number; last: number | null; holds: boolean }>(
      `SELECT s.folded_to, (SELECT max(e.seq) FROM events e WHERE e.sid = s.sid) AS last,
         EXISTS (SELECT 1 FROM owners o WHERE o.sid = s.sid AND o.epoch = $2 AND NOT o.released) AS holds
       FROM sessions s WHERE s.sid = $1 AND s.state IS NOT NULL`,
      [held.sid, held.epoch],
    );
    if (!found) return;
    if (!found.holds) throw fenced(held.session);
    const upTo = Math.min(limit, found.last ?? 0);
    let done: SliceResult = { to: found.folded_to, kept: undefined };
    while (done.to < upTo) {
      check();
      done = await foldSlice(held, done.to, upTo, done.kept);
    }
  };
}
