import type { DatabaseSync } from "node:sqlite";
import type { SessionState } from "../../core/session-state.ts";
import { isSoundState } from "./checksum.ts";
import { isDamage } from "./errors.ts";
import { prepare, preparer } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

interface Row {
  id: string;
  state: unknown;
  sum: number | null;
}

/** Keeps the order of sessions by their last change. Runs inside the caller's transaction. */
export function createRecentWriter(database: DatabaseSync) {
  const put = prepare<[number, string, string, number]>(
    database,
    `INSERT INTO recent (sid, id, directory, updated) VALUES (?, ?, ?, ?)
     ON CONFLICT (sid) DO UPDATE SET directory = excluded.directory, updated = excluded.updated`,
  );
  return (sid: number, { id, directory, updated }: SessionState): void => {
    put.run(sid, id, directory, updated);
  };
}

/** Adds the sessions of an older Parley to the order. One that cannot be read comes last, and is listed as far as its events tell of it. */
export function fillRecent(database: DatabaseSync): void {
  const prepared = preparer(database);
  const upTo = prepared<[], { value: number }>("SELECT value FROM meta WHERE name = 'unlisted'").get()?.value ?? 0;
  if (upTo === 0) return;
  const one = prepared<[number], Row>("SELECT id, state, sum FROM sessions WHERE sid = ? AND state IS NOT NULL");
  const known = prepared<[number], { id: string; directory: string | null }>(
    "SELECT id, directory FROM sessions WHERE sid = ?",
  );
  const put = createRecentWriter(database);
  const blank = prepared<[number, string, string]>("INSERT INTO recent VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING");

  function add(sid: number): void {
    const row = one.get(sid);
    if (!row) return;
    if (isSoundState(row.id, row.state, row.sum)) return put(sid, JSON.parse(row.state) as SessionState);
    blank.run(sid, row.id, known.get(sid)?.directory ?? "");
  }

  inTransaction(database, () => {
    for (let sid = 1; sid <= upTo; sid++) {
      try {
        add(sid);
      } catch (thrown) {
        if (!isDamage(thrown)) throw thrown;
      }
    }
    prepared<[]>("DELETE FROM meta WHERE name = 'unlisted'").run();
  });
}
