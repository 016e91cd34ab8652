import { ParleyError } from "../core/errors.ts";
import type { Address } from "./address.ts";
import type { Connection } from "./connection.ts";
import { ANSWER_MS } from "./lines.ts";

/** The oldest PostgreSQL that is tested. */
export const OLDEST = 15;

export interface ServerFacts {
  /** Such as 150018. */
  version: number;
  encoding: string;
  readOnly: boolean;
}

/** The reason why a server cannot be used; undefined where it can. */
export function serverProblem(
  { version, encoding, readOnly }: ServerFacts,
  { where, database }: Pick<Address, "where" | "database">,
): string | undefined {
  const major = Math.floor(version / 10_000);
  if (major < OLDEST) return `expected PostgreSQL ${OLDEST} or later at ${where}, got ${major}: upgrade it`;
  if (encoding !== "UTF8") {
    return `expected the encoding UTF8 in the database at ${where}, got ${encoding}: make one with createdb --encoding=UTF8 --template=template0 ${database}`;
  }
  if (readOnly) return `the database at ${where} is read-only, as a replica is: give the address of the primary`;
  return undefined;
}

export async function readServer(connection: Connection): Promise<ServerFacts> {
  const [facts] = await connection.run<ServerFacts>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "readOnly"`,
    [],
    ANSWER_MS,
  );
  return facts ?? { version: 0, encoding: "", readOnly: false };
}

export async function assertServer(connection: Connection, address: Address): Promise<void> {
  const problem = serverProblem(await readServer(connection), address);
  if (problem !== undefined) throw new ParleyError("invalid", problem);
}
