import { after } from "node:test";
import { missing } from "./missing.ts";
import { hasPostgres, PostgresServer } from "./postgres-server.ts";

export { freePort, PostgresServer, unprivileged } from "./postgres-server.ts";

/** For tests that need PostgreSQL. */
export const needsPostgres: { skip: string | false } = {
  skip: hasPostgres() ? false : missing("PostgreSQL 15 or later (Debian: postgresql)"),
};

let shared: Promise<PostgresServer> | undefined;

/** The server that the tests of one file share; ended after them. No test has the machine crash, so that it need not wait for the disk. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= PostgresServer.start({ settings: { fsync: "off", full_page_writes: "off" } });
  return shared;
}

after(async () => (await shared)?.stop());
