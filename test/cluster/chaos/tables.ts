import type { PostgresServer } from "../../support/postgres.ts";
import type { Append, Commit, NodeChange, Owning, StoredEvent, StoredSession, Tables } from "./records.ts";

/** Tables that keep what the nodes' own tables forget: who appended, owned and lived when, by the names of their connections. */
const AUDIT = `
CREATE FUNCTION chaos_now() RETURNS double precision LANGUAGE sql AS
  $$ SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 $$;
CREATE TABLE chaos_appends (n bigint GENERATED ALWAYS AS IDENTITY, at double precision DEFAULT chaos_now(),
  by text DEFAULT current_setting('application_name'), sid bigint, seq_from bigint, seq_to bigint, epoch bigint);
CREATE TABLE chaos_owners (n bigint GENERATED ALWAYS AS IDENTITY, at double precision DEFAULT chaos_now(),
  by text DEFAULT current_setting('application_name'), sid bigint, node bigint, epoch bigint, released boolean);
CREATE TABLE chaos_nodes (n bigint GENERATED ALWAYS AS IDENTITY, at double precision DEFAULT chaos_now(),
  by text DEFAULT current_setting('application_name'), node bigint, name text, dead boolean, lease double precision);
CREATE FUNCTION chaos_append() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO chaos_appends (sid, seq_from, seq_to, epoch) VALUES (NEW.sid, NEW.seq_from, NEW.seq_to, NEW.epoch);
  RETURN NULL; END $$;
CREATE FUNCTION chaos_owner() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO chaos_owners (sid, node, epoch, released) VALUES (NEW.sid, NEW.node, NEW.epoch, NEW.released);
  RETURN NULL; END $$;
CREATE FUNCTION chaos_node() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO chaos_nodes (node, name, dead, lease)
    VALUES (NEW.node, NEW.name, NEW.dead, extract(epoch FROM NEW.lease_until)::double precision * 1000);
  RETURN NULL; END $$;
CREATE TRIGGER chaos AFTER INSERT ON unordered FOR EACH ROW EXECUTE FUNCTION chaos_append();
CREATE TRIGGER chaos AFTER INSERT OR UPDATE ON owners FOR EACH ROW EXECUTE FUNCTION chaos_owner();
CREATE TRIGGER chaos AFTER INSERT OR UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION chaos_node();
`;

/** Has the database keep what it sees, from before the first node on. */
export async function audit(server: PostgresServer, database: string): Promise<void> {
  await server.sql(database, AUDIT);
}

/** Reads what is stored, and what the database saw. */
export async function readTables(server: PostgresServer, database: string): Promise<Tables> {
  const read = <Row>(sql: string): Promise<Row[]> => server.sql<Row>(database, sql);
  const [waiting] = await read<{ count: number }>("SELECT count(*) AS count FROM unordered");
  const of = "s.id AS session";
  return {
    sessions: await read<StoredSession>("SELECT id, first FROM sessions WHERE state IS NOT NULL"),
    events: await read<StoredEvent>(
      `SELECT ${of}, e.seq, e.folded, e.json FROM events e JOIN sessions s ON s.sid = e.sid
       WHERE e.seq >= s.first AND s.state IS NOT NULL ORDER BY e.sid, e.seq`,
    ),
    commits: await read<Commit>(
      `SELECT c.position, ${of}, c.seq_from AS "from", c.seq_to AS "to", c.epoch
       FROM commits c JOIN sessions s ON s.sid = c.sid ORDER BY c.position`,
    ),
    appends: await read<Append>(
      `SELECT ${of}, a.seq_from AS "from", a.seq_to AS "to", a.epoch, a.by, a.at
       FROM chaos_appends a JOIN sessions s ON s.sid = a.sid ORDER BY a.n`,
    ),
    ownings: await read<Owning>(
      `SELECT ${of}, o.epoch, o.node, o.released, o.by, o.at
       FROM chaos_owners o JOIN sessions s ON s.sid = o.sid ORDER BY o.n`,
    ),
    nodes: await read<NodeChange>(`SELECT node, name, dead, lease AS "leaseUntil", by, at FROM chaos_nodes ORDER BY n`),
    unordered: waiting?.count ?? 0,
  };
}

/** Open turns, by the name of the node that holds their sessions; "" where nobody does. */
export async function openTurns(server: PostgresServer, database: string): Promise<Map<string, string[]>> {
  const rows = await server.sql<{ turn: string; name: string | null }>(
    database,
    `SELECT substring(s.state FROM '"turn":\\{"id":"([^"]+)"') AS turn, CASE WHEN NOT o.released THEN n.name END AS name
     FROM sessions s JOIN owners o ON o.sid = s.sid LEFT JOIN nodes n ON n.node = o.node
     WHERE s.unsettled AND s.state LIKE '%"turn":{"id"%'`,
  );
  const grouped = Map.groupBy(rows, ({ name }) => name ?? "");
  return new Map([...grouped].map(([name, list]) => [name, list.map(({ turn }) => turn)]));
}

/** Sessions that have something to do, in words. */
export async function busySessions(server: PostgresServer, database: string): Promise<string[]> {
  const rows = await server.sql<Record<string, unknown>>(
    database,
    `SELECT s.id, s.parent, o.epoch, o.released, n.node, n.name, n.dead,
       substring(s.state FROM '"turn":(.{0,60})') AS turn, substring(s.state FROM '"asks":(.{0,60})') AS asks,
       substring(s.state FROM '"queue":(.{0,60})') AS queue
     FROM sessions s JOIN owners o ON o.sid = s.sid LEFT JOIN nodes n ON n.node = o.node
     WHERE s.unsettled AND s.state IS NOT NULL LIMIT 10`,
  );
  return rows.map((row) => JSON.stringify(row));
}

/** How many sessions have an open turn, prompts that wait or open asks. */
export async function unsettled(server: PostgresServer, database: string): Promise<number> {
  const [row] = await server.sql<{ count: number }>(
    database,
    "SELECT count(*) AS count FROM sessions WHERE unsettled AND state IS NOT NULL",
  );
  return row?.count ?? 0;
}
