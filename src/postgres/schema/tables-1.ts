/**
 * The tables. JSON is text: agents say NUL characters and lone surrogates, which `jsonb` refuses. Ids are compared by their
 * bytes. Texts of any length are indexed by their sum, because an index refuses long ones. No row is changed for each
 * event: a row that is changed often slows all its readers down while somebody holds an old snapshot, as a backup does.
 */
export const TABLES_1 = `
CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL);
-- By this nodes know each other.
INSERT INTO meta (name, value) VALUES ('secret', replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));

-- A number for each start of a node, never used again. 'directory' is the identity of its data directory.
CREATE TABLE nodes (
  node bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  directory text NOT NULL,
  name text NOT NULL,
  address text NOT NULL,
  place text NOT NULL,
  version text NOT NULL,
  draining boolean NOT NULL DEFAULT false,
  started timestamptz NOT NULL DEFAULT clock_timestamp(),
  lease_until timestamptz NOT NULL,
  dead boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
CREATE INDEX nodes_alive ON nodes (node) WHERE NOT dead;
CREATE INDEX nodes_directory ON nodes (md5(directory));

CREATE TABLE sessions (
  sid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE COLLATE "C",
  parent text COLLATE "C",
  root text COLLATE "C",
  directory text,
  place text NOT NULL,
  unsettled boolean NOT NULL DEFAULT false,
  first bigint NOT NULL DEFAULT 1,
  folded_to bigint NOT NULL DEFAULT 0,
  sweep boolean NOT NULL DEFAULT false,
  state text,
  base text
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX sessions_directory ON sessions (md5(directory), id) WHERE state IS NOT NULL;
CREATE INDEX sessions_parent ON sessions (parent, id) WHERE state IS NOT NULL;
CREATE INDEX sessions_unsettled ON sessions (id) WHERE unsettled;
CREATE INDEX sessions_sweep ON sessions (sid) WHERE sweep;

-- The node that held a session last. The session is free when it was released or when that node is dead.
CREATE TABLE owners (
  sid bigint PRIMARY KEY,
  node bigint NOT NULL,
  epoch bigint NOT NULL,
  released boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70);
CREATE INDEX owners_node ON owners (node, sid);

CREATE TABLE events (
  sid bigint NOT NULL,
  seq bigint NOT NULL,
  folded integer NOT NULL DEFAULT 0,
  type text NOT NULL COLLATE "C",
  item text COLLATE "C",
  json text NOT NULL,
  native bytea,
  PRIMARY KEY (sid, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX events_completed ON events (sid, item, seq) WHERE type = 'item.completed';
CREATE INDEX events_turns ON events (sid, seq) WHERE type = 'turn.started';

CREATE TABLE names (
  sid bigint NOT NULL,
  name text NOT NULL COLLATE "C",
  seq bigint NOT NULL,
  PRIMARY KEY (sid, name)
);
CREATE INDEX names_name ON names (name, sid);

-- Appends that have no place in the order over all sessions yet.
CREATE TABLE unordered (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sid bigint NOT NULL,
  seq_from bigint NOT NULL,
  seq_to bigint NOT NULL,
  epoch bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_threshold = -1);

-- The order over all sessions, a row an append. 'position' is that of its last event, and those before it count down.
CREATE TABLE commits (
  position bigint PRIMARY KEY,
  sid bigint NOT NULL,
  seq_from bigint NOT NULL,
  seq_to bigint NOT NULL,
  epoch bigint NOT NULL
);
CREATE INDEX commits_session ON commits (sid, seq_to);

-- Sessions that clients of a node watch; '' stands for all.
CREATE TABLE watches (
  node bigint NOT NULL,
  session text NOT NULL COLLATE "C",
  PRIMARY KEY (node, session)
);
CREATE INDEX watches_session ON watches (session);

-- Tool servers of clients, which may hold secrets and are therefore no events.
CREATE TABLE mcp (session text PRIMARY KEY COLLATE "C", servers text NOT NULL);

CREATE TABLE settings (name text PRIMARY KEY COLLATE "C", value text NOT NULL);

-- A row for each data directory, written to see whether a write succeeds.
CREATE TABLE checks (directory text PRIMARY KEY, checked timestamptz NOT NULL) WITH (fillfactor = 50);
`;
