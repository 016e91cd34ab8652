import type { ParleyEvent } from "../../core/events/event.ts";
import { keyOf } from "../../core/events/keys.ts";
import { changesState, reduceSession, type SessionState } from "../../core/session-state.ts";
import type { Database } from "../../postgres/database.ts";
import { assertDeleted } from "../deleted.ts";
import { fenced } from "../holds.ts";
import type { Held } from "./held.ts";
import { toArray, toColumn } from "./texts.ts";

/** Rows read or deleted by one statement. */
const SLICE = 500;

type Check = () => void;

interface Stored {
  first: number;
  base: string | null;
  state: string;
  last: number;
  holds: boolean;
}

/**
 * Forgetting is decided in one small transaction, which moves `first` and marks the session; the rows below `first`, which
 * no reader sees any more, are then swept out in slices, by this node or by any other.
 */
export function createForget({ query, change }: Pick<Database, "query" | "change">) {
  async function find({ sid, epoch, session }: Held): Promise<Stored | undefined> {
    if (sid === undefined) return undefined;
    const [row] = await query<Stored>(
      `SELECT s.first, s.base, s.state, (SELECT max(e.seq) FROM events e WHERE e.sid = s.sid) AS last,
         EXISTS (SELECT 1 FROM owners o WHERE o.sid = s.sid AND o.epoch = $2 AND NOT o.released) AS holds
       FROM sessions s WHERE s.sid = $1 AND s.state IS NOT NULL`,
      [sid, epoch],
    );
    if (row && !row.holds) throw fenced(session);
    return row;
  }

  async function stateBefore(
    sid: number,
    { first, base }: Stored,
    to: number,
    check: Check,
  ): Promise<SessionState | undefined> {
    let state = base === null ? undefined : (JSON.parse(base) as SessionState);
    for (let next = first; ; ) {
      check();
      const rows = await query<{ seq: number; type: string; json: string }>(
        "SELECT seq, type, json FROM events WHERE sid = $1 AND seq >= $2 AND seq < $3 ORDER BY seq LIMIT $4",
        [sid, next, to, SLICE],
      );
      for (const { type, json } of rows) {
        if (changesState(type)) state = reduceSession(state, JSON.parse(json) as ParleyEvent);
      }
      const last = rows.at(-1);
      if (!last || rows.length < SLICE) return state;
      next = last.seq + 1;
    }
  }

  /** A prompt that was queued before the boundary and began its turn after it is found by its turn from now on. */
  async function namesOfTurns(
    sid: number,
    first: number,
  ): Promise<{ newest: number; names: string[]; seqs: number[] }> {
    const rows = await query<{ seq: number; json: string }>(
      "SELECT seq, json FROM events WHERE sid = $1 AND type = 'turn.started' AND seq >= $2 ORDER BY seq",
      [sid, first],
    );
    const named = rows.flatMap(({ seq, json }) => {
      const name = keyOf(JSON.parse(json) as ParleyEvent);
      return name === undefined ? [] : [{ name: toColumn(name), seq }];
    });
    return {
      newest: rows.at(-1)?.seq ?? first,
      names: named.map(({ name }) => name),
      seqs: named.map(({ seq }) => seq),
    };
  }

  /** Sweeps a session, or all that nobody else sweeps. */
  async function sweep(sid: number | null, check: Check): Promise<void> {
    for (;;) {
      check();
      const [row] = await change<{ gone: number | null }>("SELECT sweep_v1($1, $2) AS gone", [sid, SLICE]);
      if (row?.gone === null || row?.gone === undefined) return;
    }
  }

  return {
    async prune(held: Held, before: number, check: Check): Promise<void> {
      const found = await find(held);
      const sid = held.sid ?? 0;
      if (!found) return;
      const [boundary] = await query<{ seq: number | null }>(
        "SELECT max(seq) AS seq FROM events WHERE sid = $1 AND type = 'turn.started' AND seq > $2 AND seq <= $3",
        [sid, found.first, before],
      );
      const first = boundary?.seq;
      if (!first) return;
      const state = await stateBefore(sid, found, first, check);
      for (let outcome: string | undefined = "changed"; outcome === "changed"; ) {
        check();
        const { newest, names, seqs } = await namesOfTurns(sid, first);
        const base = state === undefined ? found.state : JSON.stringify(state);
        const [row] = await change<{ outcome: string }>(
          "SELECT prune_v1($1, $2, $3, $4, $5, $6::text[], $7::bigint[]) AS outcome",
          [sid, held.epoch, first, base, newest, toArray(names), toArray(seqs)],
        );
        outcome = row?.outcome;
        if (outcome === "fenced") throw fenced(held.session);
      }
      if (held.target && held.target !== "removed") held.target = { ...held.target, first };
      await sweep(sid, check);
    },

    async remove(held: Held, check: Check): Promise<void> {
      const sid = held.sid ?? 0;
      for (let outcome: string | undefined = "changed"; outcome === "changed"; ) {
        check();
        const found = await find(held);
        if (!found) return;
        const [last] = await query<{ json: string }>("SELECT json FROM events WHERE sid = $1 AND seq = $2", [
          sid,
          found.last,
        ]);
        const event = last && (JSON.parse(last.json) as ParleyEvent);
        assertDeleted(held.session, event, JSON.parse(found.state) as SessionState);
        const [row] = await change<{ outcome: string }>("SELECT remove_v1($1, $2, $3) AS outcome", [
          sid,
          held.epoch,
          found.last,
        ]);
        outcome = row?.outcome;
        if (outcome === "fenced") throw fenced(held.session);
      }
      held.target = "removed";
      await sweep(sid, check);
    },

    /** Deletes the rows that a prune or a remove left behind when it was cut short. */
    sweepAll: (check: Check) => sweep(null, check),
  };
}
