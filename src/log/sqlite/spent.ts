import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Usage } from "../../core/events/values.ts";
import { jsonIn, present } from "../../core/json/fields.ts";
import type { Spent } from "../../core/spending/spent.ts";
import type { SpentQuery, SpentRecord } from "../contract.ts";
import { prepare, type Statement } from "./statement.ts";

type Params = [string, number, string, number, string, string, string | null, string];

/** Stores the spending of a turn once, however often it is told. */
export function createSpentWriter(database: DatabaseSync): (spent: Spent) => void {
  const insert = prepare<Params>(
    database,
    `INSERT INTO spent (session, seq, root, time, agent, directory, model, usage) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  return ({ session, seq, root, time, agent, directory, model, usage }) => {
    insert.run(session, seq, root, time, agent, directory, model ?? null, JSON.stringify(usage));
  };
}

type Row = Omit<SpentRecord, "model" | "usage"> & { model: string | null; usage: string };

export function createSpentReads(database: DatabaseSync) {
  const statements = new Map<string, Statement<SQLInputValue[], Row>>();
  const uncounted = prepare<[], { value: number }>(database, "SELECT value FROM meta WHERE name = 'uncounted'");

  function statement(filters: string): Statement<SQLInputValue[], Row> {
    const known = statements.get(filters);
    if (known) return known;
    const sql = `SELECT number, session, seq, root, time, agent, directory, model, usage FROM spent
      WHERE number > ?${filters} ORDER BY number LIMIT ?`;
    const made = prepare<SQLInputValue[], Row>(database, sql);
    statements.set(filters, made);
    return made;
  }

  return {
    /** Whether turns of an older Parley are missing. */
    isPartial: (): boolean => (uncounted.get()?.value ?? 0) > 0,
    read({ after, limit, from, to, agent, directory }: SpentQuery): SpentRecord[] {
      const filters = [
        { sql: " AND time >= ?", value: from },
        { sql: " AND time < ?", value: to },
        { sql: " AND agent = ?", value: agent },
        { sql: " AND directory = ?", value: directory },
      ].flatMap(({ sql, value }) => (value === undefined ? [] : [{ sql, value }]));
      const rows = statement(filters.map(({ sql }) => sql).join("")).all(
        after,
        ...filters.map(({ value }) => value),
        limit,
      );
      return rows.map(({ model, usage, ...row }) => ({
        ...row,
        ...present({ model: model ?? undefined }),
        usage: (jsonIn(usage) ?? {}) as Usage,
      }));
    },
  };
}
