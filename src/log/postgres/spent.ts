import { ParleyError } from "../../core/errors.ts";
import type { Usage } from "../../core/events/values.ts";
import { jsonIn, present } from "../../core/json/fields.ts";
import type { Database, Value } from "../../postgres/database.ts";
import type { SpentQuery, SpentRecord } from "../contract.ts";
import { toColumn } from "./texts.ts";

type Row = Omit<SpentRecord, "model" | "usage"> & { model: string | null; usage: string };

/** A text that a column cannot hold is in none of them. */
const sayable = (text: string): string => (text.isWellFormed() && !text.includes("\0") ? text : toColumn(text));

export function createSpentReads({ query }: Pick<Database, "query">) {
  return {
    /** Whether turns of an older Parley are missing. */
    async isPartial(): Promise<boolean> {
      const [row] = await query<{ value: string }>("SELECT value FROM meta WHERE name = 'uncounted'");
      return row !== undefined && row.value !== "0";
    },
    async read({ after, limit, from, to, agent, directory }: SpentQuery): Promise<SpentRecord[]> {
      const values: Value[] = [after, limit];
      const filters = [
        { sql: "time >=", value: from },
        { sql: "time <", value: to },
        { sql: "agent =", value: agent === undefined ? undefined : sayable(agent) },
        { sql: "directory =", value: directory === undefined ? undefined : sayable(directory) },
      ].flatMap(({ sql, value }) => {
        if (value === undefined) return [];
        values.push(value);
        return [` AND ${sql} $${values.length}`];
      });
      const rows = await query<Row>(
        `SELECT number, session, seq, root, time, agent, directory, model, usage FROM spent
         WHERE number > $1${filters.join("")} ORDER BY number LIMIT $2`,
        values,
      );
      return rows.map(({ model, usage, ...row }) => ({
        ...row,
        ...present({ model: model ?? undefined }),
        usage: (jsonIn(usage) ?? {}) as Usage,
      }));
    },
  };
}

/** Counts the turns of an older Parley, a slice at a time; any node may. */
export async function countOlder({ change }: Pick<Database, "change">, check: () => void): Promise<void> {
  for (;;) {
    check();
    const [row] = await change<{ left: number }>("SELECT count_older_v2() AS left");
    if (!row?.left) return;
  }
}

/** The refusal of a reader that may not count. */
export function uncounted(): ParleyError {
  const message = "turns of an older Parley are not counted yet: start `parley serve`, which counts them";
  return new ParleyError("unavailable", message);
}
