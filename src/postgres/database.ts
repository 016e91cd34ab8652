import { type Address, readAddress } from "./address.ts";
import { connectProblem } from "./connect-problem.ts";
import { connect, type Value } from "./connection.ts";
import { createLines, type Lines, type RunOptions } from "./lines.ts";
import { type ListenHandler, type Listening, listen } from "./listening.ts";
import { migrate } from "./migrations.ts";
import { assertServer } from "./server.ts";

export type { Value } from "./connection.ts";
export type { RunOptions } from "./lines.ts";
export type { ListenHandler, Listening } from "./listening.ts";

/** Connections for reads and for changes that nobody waits long for. */
const POOLED = 3;
/** The time for the first connection: a start may wait longer than a command. */
const START_MS = 10_000;

export interface OpenDatabaseOptions {
  url: string;
  /** The URL for LISTEN, where the other leads through a pgbouncer in transaction mode. */
  listenUrl?: string | undefined;
}

export interface DatabaseStats {
  /** Statements that were sent. */
  statements: number;
  /** Connections now. */
  connections: number;
}

type Run = <Row>(text: string, values?: readonly Value[], options?: RunOptions) => Promise<Row[]>;

/**
 * A PostgreSQL database with the newest schema. Every call is one statement and one transaction. It rejects with
 *  - `unavailable` when the database is away or refused the statement: nothing was changed;
 *  - `disk_full`: nothing was changed;
 *  - `outcome_unknown` when the answer to a write was lost.
 * Each kind of work has connections of its own, seven in all with that of `listen`, so that none waits behind another.
 */
export interface Database {
  /** Host, port and name, for messages. */
  readonly where: string;
  query: Run;
  /** A write that goes the way of the reads. */
  change: Run;
  /** Leases: nothing else goes this way. */
  control: Run;
  append: Run;
  /** The order over all sessions, and hints. */
  order: Run;
  listen(channel: string, handler: ListenHandler): Listening;
  stats(): DatabaseStats;
  close(): Promise<void>;
}

/** Connects, brings the schema up to date, and rejects with one clear line (`invalid` for what the caller must change) where that cannot be. */
export async function openDatabase({ url, listenUrl }: OpenDatabaseOptions): Promise<Database> {
  const address = readAddress(url);
  const toListen = listenUrl === undefined ? address : readAddress(listenUrl);
  let statements = 0;
  const sent = (): void => {
    statements += 1;
  };
  await prepare(address);
  const lines = (size: number): Lines => createLines({ address, size, sent });
  const [pool, control, append, order] = [lines(POOLED), lines(1), lines(1), lines(1)];
  const all = [pool, control, append, order];
  const listenings = new Set<Listening>();
  return {
    where: address.where,
    query: (text, values, options) => pool.run("read", text, values, options),
    change: (text, values, options) => pool.run("write", text, values, options),
    control: (text, values, options) => control.run("write", text, values, options),
    append: (text, values, options) => append.run("write", text, values, options),
    order: (text, values, options) => order.run("write", text, values, options),
    listen(channel, handler) {
      const listening = listen(toListen, channel, handler, sent);
      listenings.add(listening);
      return listening;
    },
    stats: () => {
      const counts = [...all, ...listenings].map((one) => one.connections());
      return { statements, connections: counts.reduce((sum, count) => sum + count, 0) };
    },
    async close() {
      await Promise.all([...[...listenings].map((one) => one.stop()), ...all.map((one) => one.close())]);
    },
  };
}

/** Everything that a start does once, by a connection that is closed before the others are made. */
async function prepare(address: Address): Promise<void> {
  try {
    const connection = await connect({ address, limitMs: START_MS });
    try {
      await assertServer(connection, address);
      await migrate(connection, address);
    } finally {
      await connection.end();
    }
  } catch (thrown) {
    throw connectProblem(thrown, address);
  }
}
