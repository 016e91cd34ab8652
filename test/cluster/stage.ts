import type { TestContext } from "node:test";
import type { ParleyOptions } from "../../src/server/parley.ts";
import { type PostgresServer, sharedPostgres } from "../support/postgres.ts";
import { startServer, type TestServer } from "../support/server.ts";

export interface Stage {
  postgres: PostgresServer;
  /** The name of the database that the nodes share. */
  database: string;
  url: string;
  /** Starts a further node in this process. */
  node(name: string, options?: Partial<ParleyOptions> & { place?: string; leaseMs?: number }): Promise<TestServer>;
  sql<Row>(text: string): Promise<Row[]>;
}

/** A database of its own, on which a test starts nodes. */
export async function stage(t: TestContext): Promise<Stage> {
  const postgres = await sharedPostgres();
  const database = await postgres.createDatabase();
  const url = postgres.url(database);
  // Nodes are stopped before their database goes, with its server.
  const closers: (() => Promise<void>)[] = [];
  const nodes = { after: (close: () => Promise<void>) => void closers.push(close) };
  t.after(async () => {
    await Promise.allSettled(closers.map((close) => close()));
  });
  return {
    postgres,
    database,
    url,
    node: (name, { place = "here", leaseMs, ...options } = {}) =>
      startServer(nodes, {
        openLog: undefined,
        database: { url, place, name, ...(leaseMs && { leaseMs }) },
        ...options,
      }),
    sql: (text) => postgres.sql(database, text),
  };
}
