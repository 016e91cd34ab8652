import { ParleyError } from "../core/errors.ts";
import type { Address } from "./address.ts";
import type { Connection } from "./connection.ts";
import { LostAnswer } from "./errors.ts";
import { ANSWER_MS } from "./lines.ts";
import { APPEND_1 } from "./schema/append-1.ts";
import { APPEND_ONE_2 } from "./schema/append-one-2.ts";
import { FORGET_1 } from "./schema/forget-1.ts";
import { HOLDS_1 } from "./schema/holds-1.ts";
import { LOST_2 } from "./schema/lost-2.ts";
import { ORDER_1 } from "./schema/order-1.ts";
import { READS_1 } from "./schema/reads-1.ts";
import { RECENT_5 } from "./schema/recent-5.ts";
import { SEARCH_4 } from "./schema/search-4.ts";
import { SPENT_3 } from "./schema/spent-3.ts";
import { TABLES_1 } from "./schema/tables-1.ts";

interface Migration {
  sql: string;
  /** The oldest version of the schema that a node must know beside this one: 1 while every change only adds. */
  oldest: number;
}

/**
 * Each entry takes the schema one version further; entries are never changed once released. They only add, so that nodes
 * of the version before go on beside this one. A function has its version in its name: the older one stays for them.
 */
export const MIGRATIONS: readonly Migration[] = [
  { sql: [TABLES_1, HOLDS_1, APPEND_1, ORDER_1, FORGET_1, READS_1].join("\n"), oldest: 1 },
  { sql: [APPEND_ONE_2, LOST_2].join("\n"), oldest: 1 },
  { sql: SPENT_3, oldest: 1 },
  { sql: SEARCH_4, oldest: 1 },
  { sql: RECENT_5, oldest: 1 },
];

/** The version of the schema that this Parley makes. */
export const NEWEST = MIGRATIONS.length;

/** Two starts at once: the second waits for the first. */
const LOCK = "SELECT pg_advisory_xact_lock(7420, 0)";
/** A migration may have to wait for long statements of other nodes. */
const MIGRATE_MS = 120_000;

/** The version of a database's schema, and the oldest that a node must know; 0 for a database without Parley's tables. */
export interface SchemaFound {
  schema: number;
  oldest: number;
}

/** Brings a database to the newest schema, in one transaction. Refuses one whose schema this Parley does not know. */
export async function migrate(connection: Connection, address: Address, migrations = MIGRATIONS): Promise<void> {
  if (upToDate(await findSchema(connection), address, migrations)) return;
  const run = (sql: string): Promise<unknown> => connection.run(sql, [], MIGRATE_MS);
  await run("BEGIN");
  try {
    await run(LOCK);
    const found = await findSchema(connection);
    if (!upToDate(found, address, migrations)) await apply(connection, found.schema, migrations);
    await run("COMMIT");
  } catch (thrown) {
    if (!(thrown instanceof LostAnswer)) await run("ROLLBACK").catch(() => undefined);
    throw thrown;
  }
}

async function apply(connection: Connection, from: number, migrations: readonly Migration[]): Promise<void> {
  for (const { sql } of migrations.slice(from)) await connection.run(sql, [], MIGRATE_MS);
  const facts: [string, number][] = [
    ["schema", migrations.length],
    ["oldest", migrations.at(-1)?.oldest ?? 1],
  ];
  for (const [name, value] of facts) {
    const sql = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2";
    await connection.run(sql, [name, String(value)], MIGRATE_MS);
  }
}

function upToDate({ schema, oldest }: SchemaFound, { where }: Address, migrations: readonly Migration[]): boolean {
  if (oldest <= migrations.length) return schema >= migrations.length;
  throw new ParleyError(
    "invalid",
    `the database at ${where} was written by a newer Parley (schema ${schema}, which needs a Parley that knows ${oldest}; this one knows up to ${migrations.length}): run that version, or give another database`,
  );
}

// The catalogue is asked as a table: a look-up by name may be answered from a cache that is older than the lock.
const IS_THERE = `SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class c
  WHERE c.relname = 'meta' AND c.relkind IN ('r', 'p') AND pg_catalog.pg_table_is_visible(c.oid)) AS there`;

export async function findSchema(connection: Connection): Promise<SchemaFound> {
  const [table] = await connection.run<{ there: boolean }>(IS_THERE, [], ANSWER_MS);
  if (!table?.there) return { schema: 0, oldest: 0 };
  const rows = await connection.run<{ name: string; value: string }>(
    "SELECT name, value FROM meta WHERE name IN ('schema', 'oldest')",
    [],
    ANSWER_MS,
  );
  const value = (name: string): number => Number(rows.find((row) => row.name === name)?.value ?? 0);
  return { schema: value("schema"), oldest: value("oldest") };
}
