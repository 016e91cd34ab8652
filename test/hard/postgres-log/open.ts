import { test } from "node:test";
import type { Log } from "../../../src/log/contract.ts";
import type { OpenLogOptions } from "../../../src/log/data-log.ts";
import { openNode } from "../../log/postgres/place.ts";
import { needsPostgres, sharedPostgres } from "../../support/postgres.ts";
import { logs } from "../../support/server.ts";

const databases = new Map<string, Promise<string>>();

/** Opens a log on PostgreSQL in the place of the one of a data directory: a database for each. */
async function openOnPostgres({ directory, keepNative, report }: OpenLogOptions): Promise<Log> {
  const server = await sharedPostgres();
  const name = databases.get(directory) ?? server.preparedDatabase();
  databases.set(directory, name);
  const options = { ...(keepNative !== undefined && { keepNative }), ...(report && { report }) };
  return (await openNode({ url: server.url(await name), directory, ...options })).log;
}

/** Runs test files over logs on PostgreSQL. */
export async function overPostgres(load: () => Promise<unknown>): Promise<void> {
  if (needsPostgres.skip) return void test("over a log on PostgreSQL", needsPostgres, () => undefined);
  logs.open = openOnPostgres;
  await load();
}
