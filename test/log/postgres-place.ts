import { createPostgresLog, type PostgresLog, type PostgresLogOptions } from "../../src/log/postgres/log.ts";
import { type Database, openDatabase } from "../../src/postgres/database.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { LogPlace } from "./place.ts";

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
  const name = await server.createDatabase();
  return {
    open: async (options) => (await openNode({ url: server.url(name), directory: "one", ...options })).log,
    destroy: () => server.dropDatabase(name),
  };
}
