import type { NodeInfo } from "./node.ts";
import type { Sql } from "./sql.ts";

/** The facts that a node registers with. */
export interface NewNode {
  /** The identity of its data directory: the lock on the directory proves that its earlier starts are dead. */
  directory: string;
  name: string;
  place: string;
  version: string;
}

interface NodeRow {
  node: string;
  name: string;
  address: string;
  place: string;
  version: string;
  draining: boolean;
  left_ms: string;
}

const COLUMNS =
  "node::text, name, address, place, version, draining, (extract(epoch FROM lease_until - clock_timestamp()) * 1000)::bigint::text AS left_ms";

const infoOf = ({ node, name, address, place, version, draining, left_ms }: NodeRow): NodeInfo => ({
  node: Number(node),
  name,
  address,
  place,
  version,
  draining,
  leaseLeftMs: Number(left_ms),
});

/** Registers a start, and says that the earlier starts on the same data directory are dead. */
export async function register(sql: Sql, node: NewNode, leaseMs: number): Promise<number> {
  const { directory, name, place, version } = node;
  const rows = await sql.control<{ node: string }>(
    `WITH gone AS (UPDATE nodes SET dead = true WHERE directory = $1 AND NOT dead)
     INSERT INTO nodes (directory, name, address, place, version, started, lease_until)
     VALUES ($1, $2, '', $3, $4, clock_timestamp(), clock_timestamp() + $5 * interval '1 millisecond')
     RETURNING node::text`,
    [directory, name, place, version, leaseMs],
  );
  return Number(rows[0]?.node);
}

/**
 * Renews the lease of a node. False where the node was declared dead, or where its number is another one's: a database that failed over to a
 * replica may give a number out twice.
 */
export async function renew(
  sql: Sql,
  { node, directory }: { node: number; directory: string },
  leaseMs: number,
  timeoutMs: number,
): Promise<boolean> {
  const rows = await sql.control<{ node: string }>(
    `UPDATE nodes SET lease_until = clock_timestamp() + $2 * interval '1 millisecond'
     WHERE node = $1 AND directory = $3 AND NOT dead RETURNING node::text`,
    [node, leaseMs, directory],
    { limitMs: timeoutMs },
  );
  return rows.length > 0;
}

/** The nodes that nobody has declared dead. */
export async function livingNodes(sql: Pick<Sql, "control">): Promise<NodeInfo[]> {
  const rows = await sql.control<NodeRow>(`SELECT ${COLUMNS} FROM nodes WHERE NOT dead ORDER BY node`);
  return rows.map(infoOf);
}

/** Declares nodes dead whose leases are over. Only a node whose own lease runs may do so. */
export async function declareDead(sql: Sql, by: number, nodes: readonly number[]): Promise<NodeInfo[]> {
  const rows = await sql.control<NodeRow>(
    `UPDATE nodes SET dead = true
     WHERE node = ANY ($2::bigint[]) AND NOT dead AND lease_until < clock_timestamp()
       AND EXISTS (SELECT 1 FROM nodes own WHERE own.node = $1 AND NOT own.dead AND own.lease_until > clock_timestamp())
     RETURNING ${COLUMNS}`,
    [by, nodes],
  );
  return rows.map(infoOf);
}

/** The node leaves by itself: its sessions are free at once. */
export async function leave(sql: Sql, node: number): Promise<void> {
  await sql.control("WITH gone AS (DELETE FROM watches WHERE node = $1) UPDATE nodes SET dead = true WHERE node = $1", [
    node,
  ]);
}

export async function setAddress(sql: Sql, node: number, address: string): Promise<void> {
  await sql.control("UPDATE nodes SET address = $2 WHERE node = $1", [node, address]);
}

export async function setDraining(sql: Sql, node: number): Promise<void> {
  await sql.control("UPDATE nodes SET draining = true WHERE node = $1", [node]);
}
