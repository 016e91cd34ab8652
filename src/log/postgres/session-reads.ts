import type { SessionState } from "../../core/session-state.ts";
import type { Database, Value } from "../../postgres/database.ts";
import type { Base, DirectoryUse, RecentQuery, SessionHead, SessionQuery } from "../contract.ts";
import type { Target } from "../plan-append.ts";
import { toColumn } from "./texts.ts";

interface HeadRow {
  sid: number;
  parent: string | null;
  root: string | null;
  first: number;
  lost_to: number;
  state: string | null;
  last: number;
}

/** A session as it is stored. */
export interface Found extends Target {
  sid: number;
  state: SessionState;
  lostTo: number;
}

/** A found session as the log's contract tells it. */
export function headOf(found: Found | "removed" | undefined): SessionHead | undefined {
  if (!found || found === "removed") return undefined;
  const { state, last, first, lostTo } = found;
  return { state, last, first, ...(lostTo > 0 && { lostTo }) };
}

export type SessionReads = ReturnType<typeof createSessionReads>;

export function createSessionReads({ query }: Pick<Database, "query">) {
  const toStates = (rows: readonly { state: string }[]): SessionState[] =>
    rows.map(({ state }) => JSON.parse(state) as SessionState);

  return {
    async find(session: string): Promise<Found | "removed" | undefined> {
      const [row] = await query<HeadRow>(
        `SELECT s.sid, s.parent, s.root, s.first, s.lost_to, s.state, (SELECT max(e.seq) FROM events e WHERE e.sid = s.sid) AS last
         FROM sessions s WHERE s.id = $1`,
        [toColumn(session)],
      );
      if (!row) return undefined;
      const { sid, parent, root, first, lost_to: lostTo, state, last } = row;
      if (state === null) return "removed";
      const found: Found = { sid, session, first, last, lostTo, state: JSON.parse(state) as SessionState };
      if (parent !== null) found.parent = parent;
      if (root !== null) found.root = root;
      return found;
    },
    async base(session: string): Promise<Base | undefined> {
      const [row] = await query<{ first: number; base: string }>(
        "SELECT first, base FROM sessions WHERE id = $1 AND state IS NOT NULL AND base IS NOT NULL",
        [toColumn(session)],
      );
      return row && { first: row.first, state: JSON.parse(row.base) as SessionState };
    },
    async list({ directory, parent, after = "", limit }: SessionQuery): Promise<SessionState[]> {
      const values: Value[] = [toColumn(after), limit];
      let filters = "";
      if (directory !== undefined) {
        values.push(toColumn(directory));
        filters += ` AND md5(directory) = md5($${values.length}) AND directory = $${values.length}`;
      }
      if (parent === null) filters += " AND parent IS NULL";
      else if (parent !== undefined) {
        values.push(toColumn(parent));
        filters += ` AND parent = $${values.length}`;
      }
      const rows = await query<{ state: string }>(
        `SELECT state FROM sessions WHERE state IS NOT NULL AND id > $1${filters} ORDER BY id LIMIT $2`,
        values,
      );
      return toStates(rows);
    },
    async recent({ directory, since = 0, after, limit }: RecentQuery): Promise<SessionState[]> {
      const values: Value[] = [since, limit];
      let filters = "";
      if (directory !== undefined) {
        values.push(toColumn(directory));
        filters += ` AND md5(directory) = md5($${values.length}) AND directory = $${values.length}`;
      }
      if (after) {
        values.push(after.updated, toColumn(after.id));
        const [updated, id] = [values.length - 1, values.length];
        filters += ` AND updated <= $${updated} AND (updated < $${updated} OR id > $${id})`;
      }
      const rows = await query<{ state: string }>(
        `SELECT state FROM sessions WHERE state IS NOT NULL AND updated >= $1${filters} ORDER BY updated DESC, id LIMIT $2`,
        values,
      );
      return toStates(rows);
    },
    async directories(limit: number): Promise<DirectoryUse[]> {
      return query<{ directory: string; sessions: number; updated: number }>(
        `SELECT directory, count(*)::int AS sessions, max((state::json ->> 'updated')::bigint) AS updated
         FROM sessions WHERE state IS NOT NULL AND parent IS NULL AND directory IS NOT NULL
         GROUP BY directory ORDER BY updated DESC, directory LIMIT $1`,
        [limit],
      );
    },
    async unsettled(owner: string | undefined): Promise<SessionState[]> {
      const held = `AND EXISTS (SELECT 1 FROM owners o JOIN nodes n ON n.node = o.node
        WHERE o.sid = sessions.sid AND n.directory = $1)`;
      const rows = await query<{ state: string }>(
        `SELECT state FROM sessions WHERE unsettled ${owner === undefined ? "" : held} ORDER BY id`,
        owner === undefined ? [] : [owner],
      );
      return toStates(rows);
    },
  };
}
