import type { DatabaseSync } from "node:sqlite";
import { prepare } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

/** No session has this id. */
const NAME = "probe";

/**
 * Writes a session, an event and a name where the next ones would go, and takes them away again, in one transaction: it
 * fails where an append would. `position` is the next one.
 */
export function createProbe(database: DatabaseSync): (position: number) => void {
  // As much as an ordinary append, and other bytes each time: SQLite does not write a value that is there already.
  const touch = prepare<[]>(
    database,
    "INSERT INTO meta (name, value) VALUES ('probe', randomblob(16384)) ON CONFLICT DO UPDATE SET value = excluded.value",
  );
  const session = prepare<[string]>(database, "INSERT INTO sessions (id) VALUES (?)");
  const event = prepare<[number, number]>(
    database,
    "INSERT INTO events (position, sid, seq, type, json) VALUES (?, ?, 1, 'probe', '{}')",
  );
  const name = prepare<[number, string]>(database, "INSERT INTO names (sid, name, seq) VALUES (?, ?, 1)");
  const dropEvent = prepare<[number]>(database, "DELETE FROM events WHERE position = ?");
  const dropName = prepare<[number, string]>(database, "DELETE FROM names WHERE sid = ? AND name = ?");
  const dropSession = prepare<[number]>(database, "DELETE FROM sessions WHERE sid = ?");
  return (position) =>
    inTransaction(database, () => {
      touch.run();
      const sid = Number(session.run(NAME).lastInsertRowid);
      event.run(position, sid);
      name.run(sid, NAME);
      dropEvent.run(position);
      dropName.run(sid, NAME);
      dropSession.run(sid);
    });
}
