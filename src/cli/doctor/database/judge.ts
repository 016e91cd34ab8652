import { isIP } from "node:net";
import { OLDEST, serverProblem } from "../../../postgres/server.ts";
import type { Check } from "../check.ts";
import type { DatabaseFacts } from "./facts.ts";

const SKEW_MS = 1_000;
const UNORDERED_MS = 10_000;
/** A smaller table has dead rows that nobody notices. */
const SOME_ROWS = 10_000;
const DEAD_SHARE = 0.5;

const ok = (name: string, detail: string, facts?: Check["facts"]): Check =>
  facts ? { name, level: "ok", detail, facts } : { name, level: "ok", detail };
const warn = (name: string, detail: string, advice: string): Check => ({ name, level: "warn", detail, advice });
const bad = (name: string, detail: string, advice: string): Check => ({ name, level: "bad", detail, advice });

function judgeServer({ where, user, database, server }: DatabaseFacts): Check[] {
  const name = "database";
  const problem = serverProblem(server, { where, database });
  if (problem !== undefined)
    return [bad(name, problem, `Parley needs PostgreSQL ${OLDEST} or later, UTF8, the primary`)];
  const { version, shown } = server;
  return [ok(name, `${where} as ${user}, PostgreSQL ${shown}`, { where, user, version }), ...judgeSync(server)];
}

function judgeSync({ fsync, synchronousCommit: mode, synchronousStandbys }: DatabaseFacts["server"]): Check[] {
  const name = "durability";
  const checks: Check[] = [];
  if (!fsync) {
    const detail = "fsync is off: a crash of the database's machine loses events, or all of the database";
    checks.push(warn(name, detail, "set fsync = on, and restart the database"));
  }
  if (mode === "off") {
    const detail =
      "synchronous_commit is off: events count as stored before they are on the disk, and a crash of the database loses the last ones";
    checks.push(warn(name, detail, "set synchronous_commit = on for this database or this user"));
  }
  if (synchronousStandbys !== "" && mode === "local") {
    const detail = "synchronous_commit is local: no standby is waited for, so a failover loses the last events";
    checks.push(warn(name, detail, "set synchronous_commit = on for this database or this user"));
  }
  if (synchronousStandbys !== "" && mode === "remote_write") {
    const detail =
      "synchronous_commit is remote_write: a standby has the events in memory, not on its disk, and a crash of both machines loses the last ones";
    checks.push(warn(name, detail, "set synchronous_commit = on for this database or this user"));
  }
  return checks.length > 0 ? checks : [ok(name, `fsync on, synchronous_commit ${mode}`)];
}

function judgeSchema({ where, user, schema, server }: DatabaseFacts): Check {
  const name = "schema";
  const { found, oldest, newest } = schema;
  const facts = { found, oldest, newest };
  if (found === 0) {
    if (server.mayCreate) return ok(name, "none yet: the first start makes it", facts);
    const detail = `user "${user}" may not make tables in the database at ${where}`;
    return bad(name, detail, "make it the owner of the database, or GRANT CREATE ON SCHEMA public");
  }
  if (!server.mayWrite) {
    const detail = `user "${user}" may not write to Parley's tables in the database at ${where}`;
    return bad(name, detail, "give the user that made them, or make this one a member of it");
  }
  if (oldest > newest) {
    const detail = `${found}, of a newer Parley; this one knows up to ${newest}`;
    return bad(name, detail, "run that version, or give another database");
  }
  if (found > newest) return ok(name, `${found}, of a Parley one version ahead, which this one works beside`, facts);
  if (found < newest) return ok(name, `${found}; the next start brings it to ${newest}`, facts);
  return ok(name, String(found), facts);
}

function judgeReplicas({ replicas, server }: DatabaseFacts): Check[] {
  const name = "replicas";
  if (replicas.length === 0) return [];
  const names = replicas.map((replica) => replica.name).join(", ");
  const waited = replicas.some(({ sync }) => sync === "sync" || sync === "quorum");
  const unknown = replicas.every(({ sync }) => sync === null) && server.synchronousStandbys !== "";
  if (waited || unknown) return [ok(name, `${names}; synchronous: ${server.synchronousStandbys}`)];
  const detail = `${names}: none is synchronous, so a failover to one loses the last events that clients were told`;
  return [warn(name, detail, "name one in synchronous_standby_names, or take the loss")];
}

const seconds = (ms: number): string => `${(Math.abs(ms) / 1000).toFixed(1)} s`;

function judgeClock({ clock: { aheadMs, withinMs } }: DatabaseFacts): Check {
  const name = "clock";
  const facts = { aheadMs: Math.round(aheadMs), withinMs: Math.round(withinMs) };
  if (Math.abs(aheadMs) - withinMs <= SKEW_MS) return ok(name, "that of this machine is the database's", facts);
  const detail = `this machine's clock is ${seconds(aheadMs)} ${aheadMs > 0 ? "ahead of" : "behind"} the database's`;
  // Leases go by the database's clock alone.
  return { ...warn(name, detail, "leases do not mind, but times of events do: run NTP on both"), facts };
}

function judgeTables({ tables }: DatabaseFacts): Check[] {
  const full = tables.filter(({ live, dead }) => live + dead >= SOME_ROWS && dead > DEAD_SHARE * (live + dead));
  return full.map(({ name, live, dead }) => {
    const detail = `${name}: ${Math.round((100 * dead) / (live + dead))} % of ${live + dead} rows are dead`;
    const advice = `autovacuum does not keep up, often because of a transaction that stays open: see pg_stat_activity, then VACUUM ${name}`;
    return warn("tables", detail, advice);
  });
}

function isLoopback(address: string): boolean {
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/^\[(.*)\]$/, "$1") : "";
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function judgeNodes({ nodes, left }: DatabaseFacts): Check[] {
  const name = "nodes";
  const checks: Check[] = [];
  const over = nodes.filter(({ leaseLeftMs }) => leaseLeftMs <= 0);
  if (over.length > 0) {
    const names = over.map((node) => `${node.name} (since ${seconds(node.leaseLeftMs)})`).join(", ");
    const advice = "nodes that are up declare them dead within seconds; without one, the next start does";
    checks.push(warn(name, `leases are over: ${names}`, advice));
  }
  const up = new Set(nodes.filter(({ leaseLeftMs }) => leaseLeftMs > 0).map(({ place }) => place));
  for (const { place, count } of left) {
    const detail = `${count} ${count === 1 ? "session" : "sessions"} of dead nodes in place ${place} with an open turn, or prompts that wait`;
    const advice = up.has(place)
      ? "a node closes the turns within 15 s; if this stays so, see the nodes' logs"
      : "prompts that wait go on when a node of that place starts";
    checks.push(warn(name, detail, advice));
  }
  const places = new Set(nodes.map(({ place }) => place));
  const hidden = places.size > 1 ? nodes.filter(({ address }) => isLoopback(address)) : [];
  for (const { name: who, address } of hidden) {
    const detail = `${who} has the address ${address}, which nodes of other machines do not reach`;
    checks.push(warn(name, detail, "start it with --node-address, and --host where it is to listen"));
  }
  if (checks.length > 0) return checks;
  const list = nodes.map((node) => `${node.name} (${node.place})`).join(", ");
  return [ok(name, nodes.length === 0 ? "none is up" : list, { nodes: nodes.map((node) => node.name) })];
}

function judgeOrder({ unorderedMs }: DatabaseFacts): Check[] {
  if (unorderedMs === undefined || unorderedMs <= UNORDERED_MS) return [];
  const detail = `events of ${seconds(unorderedMs)} ago have no place in the order over all sessions`;
  const advice = "streams of all sessions wait for them: any node that is up gives them one; see the nodes' logs";
  return [warn("order", detail, advice)];
}

/** The meaning of the facts of a database. */
export function judgeDatabase(facts: DatabaseFacts): Check[] {
  const server = judgeServer(facts);
  if (server.some(({ level }) => level === "bad")) return server;
  const schema = judgeSchema(facts);
  const all = [...server, schema, ...judgeReplicas(facts), judgeClock(facts)];
  if (schema.level === "bad") return all;
  return [...all, ...judgeTables(facts), ...judgeNodes(facts), ...judgeOrder(facts)];
}
