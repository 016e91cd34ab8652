import { ParleyError } from "../core/errors.ts";
import type { Sql } from "./sql.ts";

/** The secret by which nodes know each other: whoever may read the database is one. */
export async function nodeSecret(sql: Sql): Promise<string> {
  const [row] = await sql.query<{ value: string }>("SELECT value FROM meta WHERE name = 'secret'");
  if (!row)
    throw new ParleyError(
      "unavailable",
      "the database lacks the secret of its nodes: it was not made by Parley, or not whole",
    );
  return row.value;
}
