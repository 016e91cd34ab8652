import type { TestContext } from "node:test";
import { createPostgresLog, type PostgresLog, type PostgresLogOptions } from "../../../src/log/postgres/log.ts";
import { type Database, openDatabase } from "../../../src/postgres/database.ts";
import { type PostgresServer, sharedPostgres } from "../../support/postgres.ts";
import type { LogPlace } from "../place.ts";

/** Registers a node, as a start does: earlier ones of the same directory are dead. */
export async function addNode(database: Database, directory: string, name = directory): Promise<number> {
  await database.control("UPDATE nodes SET dead = true WHERE directory = $1 AND NOT dead", [directory]);
  const [row] = await database.control<{ node: number }>(
    `INSERT INTO nodes (directory, name, address, place, version, lease_until)
     VALUES ($1, $2, $3, 'here', 'test', clock_timestamp() + interval '1 hour') RETURNING node`,
    [directory, name, `http://${name}.test:1`],
  );
  return row?.node ?? 0;
}

export interface NodeLog {
  log: PostgresLog;
  database: Database;
  node: number;
}

export interface OpenNode extends Partial<Pick<PostgresLogOptions, "keepNative" | "report">> {
  url: string;
  listenUrl?: string;
  directory: string;
}

/** A log of a node of its own. Closing the log closes its database, too. */
export async function openNode({ url, listenUrl, directory, ...options }: OpenNode): Promise<NodeLog> {
  const database = await openDatabase({ url, listenUrl });
  const node = await addNode(database, directory);
  const report = (): void => undefined;
  const inner = await createPostgresLog({ database, directory, node: () => node, place: "here", report, ...options });
  const close = async (): Promise<void> => {
    await inner.close();
    await database.close();
  };
  return { log: { ...inner, close }, database, node };
}

export async function postgresPlace(): Promise<LogPlace> {
  const server = await sharedPostgres();
  const name = await server.preparedDatabase();
  const url = server.url(name);
  return {
    async indexedTo() {
      const [row] = await server.sql<{ position: string }>(name, "SELECT position FROM search_progress");
      return Number(row?.position);
    },
    open: async (options) => (await openNode({ url, directory: "one", ...options })).log,
    // The whole server is dropped after the tests.
    destroy: async () => undefined,
  };
}

export interface Cluster {
  server: PostgresServer;
  /** The name of the database. */
  name: string;
  /** Opens the log of another node. */
  node(directory: string, options?: Partial<OpenNode>): Promise<NodeLog>;
  /** Runs a statement in the database. */
  sql<Row = Record<string, unknown>>(text: string): Promise<Row[]>;
  /** Says that a node is dead, as a survivor does. */
  bury(node: number): Promise<void>;
}

/** Some nodes on one database; all that is open is closed at the test's end. */
export async function cluster(t: Pick<TestContext, "after">): Promise<Cluster> {
  const server = await sharedPostgres();
  const name = await server.preparedDatabase();
  const open: PostgresLog[] = [];
  t.after(async () => {
    await Promise.all(open.map((log) => log.close()));
  });
  const sql = <Row>(text: string): Promise<Row[]> => server.sql<Row>(name, text);
  return {
    server,
    name,
    async node(directory, options = {}) {
      const node = await openNode({ url: server.url(name), directory, ...options });
      open.push(node.log);
      return node;
    },
    sql,
    bury: async (node) => void (await sql(`UPDATE nodes SET dead = true WHERE node = ${node}`)),
  };
}
