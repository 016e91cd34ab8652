import type { Look } from "../../../postgres/look.ts";
import type { ServerFacts } from "../../../postgres/server.ts";
import type { DatabaseFacts, LeftSessions, NodeFacts, Replica, TableFacts } from "./facts.ts";

type Server = DatabaseFacts["server"];

const SERVER = `SELECT current_setting('server_version') AS shown, current_setting('fsync') = 'on' AS fsync,
  current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('synchronous_standby_names') AS "synchronousStandbys",
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate"`;

const MAY_WRITE = "SELECT has_table_privilege('events', 'INSERT') AND has_table_privilege('nodes', 'UPDATE') AS may";

const REPLICAS = `SELECT coalesce(nullif(application_name, ''), 'a replica') AS name, sync_state AS sync
  FROM pg_stat_replication ORDER BY 1`;

const TABLES = `SELECT relname AS name, n_live_tup::float8 AS live, n_dead_tup::float8 AS dead
  FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname IN ('unordered', 'events', 'sessions')
  ORDER BY relname`;

const NODES = `SELECT name, place, address,
  (extract(epoch FROM lease_until - clock_timestamp()) * 1000)::float8 AS "leaseLeftMs"
  FROM nodes WHERE NOT dead ORDER BY name, node`;

const LEFT = `SELECT s.place, count(*)::int AS count
  FROM sessions s JOIN owners o ON o.sid = s.sid LEFT JOIN nodes n ON n.node = o.node
  WHERE s.unsettled AND s.state IS NOT NULL AND NOT o.released AND coalesce(n.dead, true) GROUP BY s.place ORDER BY 1`;

const UNORDERED = `SELECT e.json FROM unordered u JOIN events e ON e.sid = u.sid AND e.seq = u.seq_from
  ORDER BY u.id LIMIT 1`;

/** The database's clock as this machine's, asked a few times: the quickest answer says it best. */
async function readClock({ query }: Look): Promise<DatabaseFacts["clock"] & { now: number }> {
  let best = { aheadMs: 0, withinMs: Number.POSITIVE_INFINITY, now: 0 };
  for (let asked = 0; asked < 3; asked++) {
    const [at, since] = [Date.now(), performance.now()];
    const [row] = await query<{ now: number }>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now");
    const withinMs = (performance.now() - since) / 2;
    const now = row?.now ?? 0;
    if (withinMs < best.withinMs) best = { aheadMs: at + withinMs - now, withinMs, now };
  }
  return best;
}

function timeOf(json: string): number {
  const { time } = JSON.parse(json) as { time?: unknown };
  return typeof time === "number" ? time : 0;
}

/** Reads all that the doctor judges. Nothing is changed. */
export async function readFacts(look: Look): Promise<DatabaseFacts> {
  const { query, where, user, database, schema, newest } = look;
  const [told] = await query<Omit<Server, keyof ServerFacts | "mayWrite">>(SERVER);
  if (!told) throw new Error("the database did not tell its settings");
  const server = { ...look.server, ...told };
  const { now, ...clock } = await readClock(look);
  const facts = {
    ...{ where, user, database, clock },
    schema: { found: schema.schema, oldest: schema.oldest, newest },
    replicas: await query<Replica>(REPLICAS),
  };
  const none = { tables: [], nodes: [], left: [], unorderedMs: undefined };
  if (schema.schema === 0) return { ...facts, ...none, server: { ...server, mayWrite: true } };
  const [right] = await query<{ may: boolean }>(MAY_WRITE);
  if (!right?.may) return { ...facts, ...none, server: { ...server, mayWrite: false } };
  const [oldest] = await query<{ json: string }>(UNORDERED);
  return {
    ...facts,
    server: { ...server, mayWrite: true },
    tables: await query<TableFacts>(TABLES),
    nodes: await query<NodeFacts>(NODES),
    left: await query<LeftSessions>(LEFT),
    unorderedMs: oldest && now - timeOf(oldest.json),
  };
}
