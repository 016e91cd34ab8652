import type { Database } from "../../postgres/database.ts";
import { toArray, toColumn } from "./texts.ts";

export interface LossOptions {
  database: Pick<Database, "change" | "query">;
  position(): Promise<number>;
  /** The last numbers of the sessions that this process holds. */
  held(): ReadonlyMap<string, number>;
  /** The last numbers that listeners were told of, and the newest position. */
  told(): { sessions: ReadonlyMap<string, number | undefined>; position: number };
  /** Hears of sessions that lost events, and of the newest position where positions are not what they were. */
  lost(sessions: readonly string[], position: number | undefined): void;
}

/**
 * Finds what a database has lost that failed over to a replica which lagged: numbers that this process has seen and that are
 * not there. They are written down before anybody takes the sessions again, so that no client's cursor is taken for one
 * among the events that get these numbers next.
 */
export function createLoss({ database, position, held, told, lost }: LossOptions) {
  /** Writes down how far sessions had come, and finds those that are not as far. */
  async function mark(lasts: ReadonlyMap<string, number>, seenPosition: number | null): Promise<string[]> {
    const byColumn = new Map([...lasts.keys()].map((session) => [toColumn(session), session]));
    const rows = await database.change<{ id: string }>("SELECT id FROM lost_v1($1::text[], $2::bigint[], $3::bigint)", [
      toArray([...byColumn.keys()]),
      toArray([...lasts.values()]),
      seenPosition,
    ]);
    return rows.flatMap(({ id }) => byColumn.get(id) ?? []);
  }

  return {
    /** Compares all that this process knows with the database, which may be another one than before. */
    async find(): Promise<void> {
      const seen = told();
      const lasts = new Map(held());
      for (const [session, last = 0] of seen.sessions) lasts.set(session, Math.max(last, lasts.get(session) ?? 0));
      // Others may have given positions out again already, so that the newest one shows nothing.
      const newest = await position();
      lost(await mark(lasts, seen.position), newest);
    },
    /** A session of which the database lacks numbers up to this one. */
    async of(session: string, last: number): Promise<void> {
      lost(await mark(new Map([[session, last]]), null), undefined);
    },
    /** Positions up to this one were given out twice. */
    async positionsTo(): Promise<number> {
      const [row] = await database.query<{ value: string }>("SELECT value FROM meta WHERE name = 'lost_to'");
      return Number(row?.value ?? 0);
    },
  };
}
