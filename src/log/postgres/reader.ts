import { ParleyError } from "../../core/errors.ts";
import type { SessionState } from "../../core/session-state.ts";
import { type Look, lookAt } from "../../postgres/look.ts";
import { serverProblem } from "../../postgres/server.ts";
import type { LogReader, SessionHead } from "../contract.ts";
import { search } from "../search/search.ts";
import { createEventReads } from "./event-reads.ts";
import { createIndexReads } from "./search/index-reads.ts";
import { createSessionReads, headOf } from "./session-reads.ts";
import { createSpentReads, uncounted } from "./spent.ts";
import { toArray, toColumn } from "./texts.ts";

/** The reads of commands where no server runs. */
export interface DatabaseReader extends LogReader {
  /** Sessions with an open turn, prompts that wait or open asks. */
  unsettled(): Promise<SessionState[]>;
  /** Those of these sessions that a node which is not dead works with. */
  held(sessions: readonly string[]): Promise<Set<string>>;
  query: Look["query"];
}

const HELD = `SELECT s.id FROM sessions s JOIN owners o ON o.sid = s.sid JOIN nodes n ON n.node = o.node
  WHERE s.id = ANY ($1::text[]) AND NOT o.released AND NOT n.dead`;

/** Reads the database that nodes share, and changes nothing in it. Undefined where no node has made its tables yet. */
export async function openDatabaseReader(url: string): Promise<DatabaseReader | undefined> {
  const look = await lookAt(url);
  const problem = serverProblem(look.server, look) ?? schemaProblem(look);
  if (problem !== undefined || look.schema.schema === 0) await look.close();
  if (problem !== undefined) throw new ParleyError("invalid", problem);
  if (look.schema.schema === 0) return undefined;
  const { query, close } = look;
  const [events, sessions] = [createEventReads({ query }), createSessionReads({ query })];
  const spent = createSpentReads({ query });
  const head = async (session: string): Promise<SessionHead | undefined> => headOf(await sessions.find(session));
  const index = createIndexReads({ query });
  return {
    read: events.read,
    head,
    search: (asked) => search({ ...events, head, index }, asked),
    base: sessions.base,
    list: sessions.list,
    async spent(asked) {
      if (await spent.isPartial()) throw uncounted();
      return spent.read(asked);
    },
    unsettled: () => sessions.unsettled(undefined),
    async held(ids) {
      const rows = await query<{ id: string }>(HELD, [toArray(ids.map(toColumn))]);
      return new Set(rows.map(({ id }) => id));
    },
    query,
    close,
  };
}

function schemaProblem({ where, schema: { schema, oldest }, newest }: Look): string | undefined {
  if (oldest > newest)
    return `the database at ${where} was written by a newer Parley (schema ${schema}; this one knows up to ${newest}): run that version`;
  if (schema > 0 && schema < newest)
    return `the database at ${where} was written by an older Parley (schema ${schema}; this one reads ${newest}): start parley serve once, which brings it up to date`;
  return undefined;
}
