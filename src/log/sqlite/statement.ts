import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** A prepared statement with the types of its parameters and rows. */
export interface Statement<Params extends readonly SQLInputValue[], Row = never> {
  get(...params: Params): Row | undefined;
  all(...params: Params): Row[];
  /** Reads rows as they are asked for. */
  iterate(...params: Params): IterableIterator<Row>;
  run(...params: Params): { changes: number | bigint; lastInsertRowid: number | bigint };
}

/** A prepared statement whose rows are lists of their columns. */
export interface ListStatement<Params extends readonly SQLInputValue[], Row extends readonly unknown[]> {
  all(...params: Params): Row[];
}

/** Prepares statements of one database. */
export const preparer =
  (database: DatabaseSync) =>
  <Params extends readonly SQLInputValue[], Row = never>(sql: string) =>
    prepare<Params, Row>(database, sql);

/** The one place where SQL and its types are believed to agree. */
export function prepare<Params extends readonly SQLInputValue[], Row = never>(
  database: DatabaseSync,
  sql: string,
): Statement<Params, Row> {
  return database.prepare(sql) as unknown as Statement<Params, Row>;
}

/** For reads of many rows: rows as lists take a third of the time that rows as objects do. */
export function prepareLists<Params extends readonly SQLInputValue[], Row extends readonly unknown[]>(
  database: DatabaseSync,
  sql: string,
): ListStatement<Params, Row> {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as ListStatement<Params, Row>;
}
