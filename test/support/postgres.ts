import { after } from "node:test";
import { missing } from "./missing.ts";
import { hasPostgres, PostgresServer } from "./postgres-server.ts";

export { freePort, PostgresServer, unprivileged } from "./postgres-server.ts";

/** For tests that need PostgreSQL. */
export const needsPostgres: { skip: string | false } = {
  skip: hasPostgres() ? false : missing("PostgreSQL 15 or later (Debian: postgresql)"),
};

let shared: Promise<PostgresServer> | undefined;

/** The server that the tests of one file share; ended after them. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= PostgresServer.start();
  return shared;
}

after(async () => (await shared)?.stop());
