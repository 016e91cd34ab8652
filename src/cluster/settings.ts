import { ParleyError } from "../core/errors.ts";
import type { Sql } from "./sql.ts";

/** So often another node may be quicker before a change is given up. */
const TRIES = 20;

/** Entries that all nodes share, as texts by their names. */
export class Settings {
  private readonly sql: Sql;

  constructor(sql: Sql) {
    this.sql = sql;
  }

  async read(name: string): Promise<string | undefined> {
    const [row] = await this.sql.query<{ value: string }>("SELECT value FROM settings WHERE name = $1", [name]);
    return row?.value;
  }

  /** Changes an entry and resolves with it. `next` is called again where another node was quicker. */
  async change(name: string, next: (before: string | undefined) => string): Promise<string> {
    for (let tried = 0; tried < TRIES; tried++) {
      const before = await this.read(name);
      const value = next(before);
      if (value === before || (await this.replace(name, before, value))) return value;
    }
    throw new ParleyError("unavailable", `the entry ${name} is changed by others all the time: try again soon`);
  }

  private async replace(name: string, before: string | undefined, value: string): Promise<boolean> {
    const changed =
      before === undefined
        ? await this.sql.change(
            "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING name",
            [name, value],
          )
        : await this.sql.change("UPDATE settings SET value = $3 WHERE name = $1 AND value = $2 RETURNING name", [
            name,
            before,
            value,
          ]);
    return changed.length > 0;
  }
}
