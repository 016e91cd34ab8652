import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { SessionState } from "../../core/session-state.ts";
import type { Base, DirectoryUse, SessionQuery } from "../contract.ts";
import { isSoundState, readState } from "./checksum.ts";
import type { Rebuild } from "./heads.ts";
import { prepare, type Statement } from "./statement.ts";

interface StateRow {
  id: string;
  state: string;
  sum: number | null;
}

export function createSessionReads(database: DatabaseSync, rebuild: Rebuild) {
  const lists = new Map<string, Statement<SQLInputValue[], StateRow>>();
  const open = prepare<[], StateRow>(database, "SELECT id, state, sum FROM sessions WHERE unsettled = 1 ORDER BY id");
  const base = prepare<[string], StateRow & { first: number; base: string }>(
    database,
    "SELECT id, state, sum, first, base FROM sessions WHERE id = ? AND state IS NOT NULL AND base IS NOT NULL",
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
