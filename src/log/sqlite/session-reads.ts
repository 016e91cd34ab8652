import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { SessionState } from "../../core/session-state.ts";
import type { Base, DirectoryUse, RecentQuery, SessionQuery } from "../contract.ts";
import { isSoundState, readState } from "./checksum.ts";
import type { Rebuild } from "./heads.ts";
import { prepare, type Statement } from "./statement.ts";

interface StateRow {
  id: string;
  state: string;
  sum: number | null;
}

interface RecentPlace {
  updated: number;
  id: string;
}

/** Before all sessions in the order of their last changes. */
const FIRST: RecentPlace = { updated: Number.MAX_SAFE_INTEGER, id: "" };

/** The range of the index first, so that it is walked and not collected. */
const RECENT =
  "r.updated >= ? AND r.updated <= ? AND (r.updated < ? OR r.id > ?) ORDER BY r.updated DESC, r.id LIMIT ?";
const RECENT_ROWS = "SELECT s.id, s.state, s.sum, r.updated FROM recent r CROSS JOIN sessions s ON s.sid = r.sid WHERE";

export function createSessionReads(database: DatabaseSync, rebuild: Rebuild) {
  const lists = new Map<string, Statement<SQLInputValue[], StateRow>>();
  const open = prepare<[], StateRow>(database, "SELECT id, state, sum FROM sessions WHERE unsettled = 1 ORDER BY id");
  const base = prepare<[string], StateRow & { first: number; base: string }>(
    database,
    "SELECT id, state, sum, first, base FROM sessions WHERE id = ? AND state IS NOT NULL AND base IS NOT NULL",
  );

  type Range = [number, number, number, string, number];
  type RecentRow = StateRow & RecentPlace;
  const recent = prepare<Range, RecentRow>(database, `${RECENT_ROWS} s.state IS NOT NULL AND ${RECENT}`);
  const recentIn = prepare<[string, ...Range], RecentRow>(
    database,
    `${RECENT_ROWS} s.state IS NOT NULL AND r.directory = ? AND ${RECENT}`,
  );

  const used = prepare<[number], { directory: string; sessions: number; updated: number | null }>(
    database,
    `SELECT directory, count(*) AS sessions, max(CASE WHEN json_valid(state) THEN state ->> '$.updated' END) AS updated
     FROM sessions WHERE state IS NOT NULL AND parent IS NULL AND directory IS NOT NULL
     GROUP BY directory ORDER BY updated DESC, directory LIMIT ?`,
  );

  /** One statement for each set of filters, so that each finds its index. */
  function listBy(filters: string): Statement<SQLInputValue[], StateRow> {
    const known = lists.get(filters);
    if (known) return known;
    const sql = `SELECT id, state, sum FROM sessions WHERE state IS NOT NULL AND id > ?${filters} ORDER BY id LIMIT ?`;
    const statement = prepare<SQLInputValue[], StateRow>(database, sql);
    lists.set(filters, statement);
    return statement;
  }

  return {
    list({ directory, parent, after, limit }: SessionQuery): SessionState[] {
      let filters = "";
      const values: string[] = [];
      if (directory !== undefined) {
        filters += " AND directory = ?";
        values.push(directory);
      }
      if (parent === null) filters += " AND parent IS NULL";
      else if (parent !== undefined) {
        filters += " AND parent = ?";
        values.push(parent);
      }
      return toStates(listBy(filters).all(after ?? "", ...values, limit));
    },
    recent({ directory, since = 0, after = FIRST, limit }: RecentQuery): SessionState[] {
      const { updated, id } = after;
      const states: SessionState[] = [];
      let place: RecentPlace = { updated, id };
      // A state that cannot be made anew leaves no gap: a short page would be taken for the last one.
      while (states.length < limit) {
        const count = limit - states.length;
        const range = [since, place.updated, place.updated, place.id, count] as const;
        const rows = directory === undefined ? recent.all(...range) : recentIn.all(directory, ...range);
        for (const state of toStates(rows)) states.push(state);
        const last = rows.at(-1);
        if (!last || rows.length < count) break;
        place = last;
      }
      return states;
    },
    directories: (limit: number): DirectoryUse[] =>
      used.all(limit).map(({ directory, sessions, updated }) => {
        return { directory, sessions, ...(updated === null ? {} : { updated }) };
      }),
    unsettled: () => toStates(open.all()),
    base(session: string): Base | undefined {
      const row = base.get(session);
      // A base that cannot be read is replaced by the present state of the session.
      const state = row && (readState(session, row.base) ?? toStates([row])[0]);
      return state && { first: row.first, state };
    },
  };

  function toStates(rows: readonly StateRow[]): SessionState[] {
    return rows.flatMap(({ id, state, sum }) => {
      if (isSoundState(id, state, sum)) return [JSON.parse(state) as SessionState];
      return rebuild(id) ?? [];
    });
  }
}
