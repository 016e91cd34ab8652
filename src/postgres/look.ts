import { readAddress } from "./address.ts";
import { connectProblem } from "./connect-problem.ts";
import { type Connection, connect, type Value } from "./connection.ts";
import { toDatabaseError } from "./errors.ts";
import { ANSWER_MS } from "./lines.ts";
import { findSchema, NEWEST, type SchemaFound } from "./migrations.ts";
import { readServer, type ServerFacts } from "./server.ts";

const CONNECT_MS = 5_000;

/** One connection for somebody who only looks: nothing is migrated, nothing is registered. */
export interface Look {
  /** Host, port and name, for messages. */
  readonly where: string;
  readonly user: string;
  readonly database: string;
  readonly server: ServerFacts;
  readonly schema: SchemaFound;
  /** The version of the schema that this Parley knows. */
  readonly newest: number;
  query<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** Rejects with one clear line where the database cannot be reached or lets nobody in. */
export async function lookAt(url: string): Promise<Look> {
  const address = readAddress(url);
  const { where, user, database } = address;
  let connection: Connection | undefined;
  try {
    connection = await connect({ address, limitMs: CONNECT_MS });
    const open = connection;
    const server = await readServer(open);
    const schema = await findSchema(open);
    return {
      where,
      user,
      database,
      server,
      schema,
      newest: NEWEST,
      query: (text, values = []) =>
        open.run<never>(text, values, ANSWER_MS).catch((thrown: unknown) => {
          throw toDatabaseError(thrown, "read", address);
        }),
      close: () => open.end(),
    };
  } catch (thrown) {
    await connection?.end();
    throw connectProblem(thrown, address);
  }
}
