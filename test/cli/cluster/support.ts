import { sharedPostgres } from "../../support/postgres.ts";
import { Home } from "../support.ts";

/** The token that all nodes of a test have. */
export const TOKEN = "one-token-for-all-nodes";

/** A new database, by its address, and what a program needs in its environment to be a node on it. */
export async function newDatabase(): Promise<{ url: string; name: string; env: Record<string, string> }> {
  const postgres = await sharedPostgres();
  const name = await postgres.createDatabase();
  const url = postgres.url(name);
  return { url, name, env: { PARLEY_DATABASE: url, PARLEY_TOKEN: TOKEN } };
}

/** Rows of a database of the shared server. */
export async function rowsOf<Row>(name: string, sql: string): Promise<Row[]> {
  return (await sharedPostgres()).sql<Row>(name, sql);
}

export { Home };
