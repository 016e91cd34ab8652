/** The part of the database that the nodes' own tables need. */
export interface Sql {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** By a connection of its own: a renewal never waits behind other statements. */
  control<Row extends object>(
    text: string,
    values?: readonly unknown[],
    options?: { timeoutMs?: number },
  ): Promise<Row[]>;
}
