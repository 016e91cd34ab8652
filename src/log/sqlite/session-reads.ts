import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { SessionState } from "../../core/session-state.ts";
import type { Base, SessionQuery } from "../contract.ts";
import { prepare, type Statement } from "./statement.ts";

interface StateRow {
  state: string;
}

export interface SessionReads {
  list(query: SessionQuery): SessionState[];
  unsettled(): SessionState[];
  base(session: string): Base | undefined;
}

export function createSessionReads(database: DatabaseSync): SessionReads {
  const lists = new Map<string, Statement<SQLInputValue[], StateRow>>();
  const open = prepare<[], StateRow>(database, "SELECT state FROM sessions WHERE unsettled = 1 ORDER BY id");
  const base = prepare<[string], { first: number; base: string }>(
    database,
    "SELECT first, base FROM sessions WHERE id = ? AND state IS NOT NULL AND base IS NOT NULL",
  );

  /** One statement for each set of filters, so that each finds its index. */
  function listBy(filters: string): Statement<SQLInputValue[], StateRow> {
    const known = lists.get(filters);
    if (known) return known;
    const sql = `SELECT state FROM sessions WHERE state IS NOT NULL AND id > ?${filters} ORDER BY id LIMIT ?`;
    const statement = prepare<SQLInputValue[], StateRow>(database, sql);
    lists.set(filters, statement);
    return statement;
  }

  return {
    list({ directory, parent, after, limit }) {
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
    unsettled: () => toStates(open.all()),
    base(session) {
      const row = base.get(session);
      return row && { first: row.first, state: JSON.parse(row.base) as SessionState };
    },
  };
}

function toStates(rows: readonly StateRow[]): SessionState[] {
  return rows.map((row) => JSON.parse(row.state) as SessionState);
}
