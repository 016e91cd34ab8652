import type { DatabaseSync } from "node:sqlite";
import { ParleyError } from "../../core/errors.ts";
import { fillRecent } from "./recent.ts";
import { prepare } from "./statement.ts";

/**
 * Each entry takes the schema one version further; entries are never changed once released. Events lie in the order of
 * their positions, so that writing only ever appends; long columns come last, so that folding need not read them.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

  CREATE TABLE sessions (
    sid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    parent TEXT,
    root TEXT,
    directory TEXT,
    unsettled INTEGER NOT NULL DEFAULT 0,
    first INTEGER NOT NULL DEFAULT 1,
    folded_to INTEGER NOT NULL DEFAULT 0,
    sweep INTEGER NOT NULL DEFAULT 0,
    state TEXT,
    base TEXT
  );
  CREATE INDEX sessions_directory ON sessions (directory, id) WHERE state IS NOT NULL;
  CREATE INDEX sessions_parent ON sessions (parent, id) WHERE state IS NOT NULL;
  CREATE INDEX sessions_unsettled ON sessions (id) WHERE unsettled = 1;
  CREATE INDEX sessions_sweep ON sessions (sid) WHERE sweep = 1;

  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    sid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    folded INTEGER NOT NULL DEFAULT 0,
    type TEXT NOT NULL,
    item TEXT,
    json TEXT NOT NULL,
    native TEXT
  );
  CREATE UNIQUE INDEX events_seq ON events (sid, seq);
  CREATE INDEX events_completed ON events (sid, item, seq) WHERE type = 'item.completed';
  CREATE INDEX events_turns ON events (sid, seq) WHERE type = 'turn.started';

  CREATE TABLE names (
    sid INTEGER NOT NULL,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (sid, name)
  ) WITHOUT ROWID;
  CREATE INDEX names_name ON names (name, sid);
  `,
  // Sums find damaged rows. Rows of an older Parley have none.
  `
  ALTER TABLE events ADD COLUMN sum INTEGER;
  ALTER TABLE sessions ADD COLUMN sum INTEGER;
  `,
  // No row of it refers to a session: it outlives them. Turns up to the position 'uncounted' are from before it.
  `
  CREATE TABLE spent (
    number INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    root TEXT NOT NULL,
    time INTEGER NOT NULL,
    agent TEXT NOT NULL,
    directory TEXT NOT NULL,
    model TEXT,
    usage TEXT NOT NULL
  );
  CREATE UNIQUE INDEX spent_turn ON spent (session, seq);
  INSERT INTO meta (name, value) SELECT 'uncounted', coalesce(max(position), 0) FROM events;
  `,
  // The order of sessions by their last change, apart from the long rows of the sessions: see `fillRecent`. And the numbers
  // of the events that `Log.told` gives, but for those up to the position 'untold', which are from before it.
  `
  CREATE TABLE recent (
    sid INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    directory TEXT NOT NULL,
    updated INTEGER NOT NULL
  );
  CREATE INDEX recent_all ON recent (updated DESC, id);
  CREATE INDEX recent_directory ON recent (directory, updated DESC, id);
  CREATE TABLE told (sid INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (sid, seq)) WITHOUT ROWID;
  INSERT INTO meta (name, value) SELECT 'untold', coalesce(max(position), 0) FROM events;
  INSERT INTO meta (name, value) SELECT 'unlisted', coalesce(max(sid), 0) FROM sessions;
  `,
];

/** The schema of a database; refuses one that a newer Parley wrote. */
function schemaOf(database: DatabaseSync): number {
  const found = prepare<[], { user_version: number }>(database, "PRAGMA user_version").get()?.user_version ?? 0;
  if (found > MIGRATIONS.length) {
    throw new ParleyError(
      "unavailable",
      `the data directory was written by a newer Parley (schema ${found}, this one knows up to ${MIGRATIONS.length}): ` +
        "run that version, or choose another data directory",
    );
  }
  return found;
}

/** Refuses a database that only a writer may bring to the newest schema. */
export function assertNewest(database: DatabaseSync): void {
  const found = schemaOf(database);
  if (found === MIGRATIONS.length) return;
  throw new ParleyError(
    "unavailable",
    `the data directory was written by an older Parley (schema ${found}, this one reads ${MIGRATIONS.length}), and ` +
      "looking at it changes nothing: start `parley serve` once, which brings it up to date",
  );
}

/** Brings a database to the newest schema, one transaction a step. */
export function migrate(database: DatabaseSync): void {
  const found = schemaOf(database);
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < found) continue;
    database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
  fillRecent(database);
}
