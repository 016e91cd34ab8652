import type { DatabaseSync } from "node:sqlite";
import type { ParleyEvent } from "../../../core/events/event.ts";
import { FINDABLE_TYPES } from "../../../core/search/text.ts";
import { indexTerms, type SessionFacts } from "../../search/terms.ts";
import { isSoundEvent } from "../checksum.ts";
import { preparer } from "../statement.ts";
import type { IndexEntry } from "./index-file.ts";

/** Positions that are looked over at once. Most are deltas, whose texts are not read. */
const SPAN = 2_000;
const MOST_ENTRIES = 40;
/** Characters that are read at once, about. */
const MOST_WEIGHT = 100_000;
/** Sub-agents of sub-agents. */
const DEEPEST = 64;

interface Row {
  position: number;
  sid: number;
  seq: number;
  type: string;
  json: string;
  sum: number | null;
}

interface SessionRow {
  id: string;
  parent: string | null;
  root: string | null;
  directory: string;
  agent: string | null;
}

/** Reads a log for its index, a little at a time: a few milliseconds of the event loop. */
export function createNextEntries(database: DatabaseSync) {
  const prepared = preparer(database);
  const types = [...FINDABLE_TYPES].map((type) => `'${type}'`).join(", ");
  const rows = prepared<[number, number, number], Row>(
    `SELECT e.position, e.sid, e.seq, e.type, e.json, e.sum FROM events e CROSS JOIN sessions s ON s.sid = e.sid
     WHERE e.position > ? AND e.position <= ? AND e.type IN (${types}) AND e.seq >= s.first AND s.state IS NOT NULL
     ORDER BY e.position LIMIT ?`,
  );
  const session = prepared<[number], SessionRow>(
    `SELECT id, parent, root, directory, CASE WHEN json_valid(state) THEN json_extract(state, '$.agent') END AS agent
     FROM sessions WHERE sid = ?`,
  );
  const above = prepared<[string], { parent: string | null }>("SELECT parent FROM sessions WHERE id = ?");

  function factsOf(sid: number): SessionFacts | undefined {
    const found = session.get(sid);
    if (!found) return undefined;
    const { id, parent, root, directory, agent } = found;
    const line = new Set([id]);
    for (let at = parent; at !== null && line.size < DEEPEST && !line.has(at); at = above.get(at)?.parent ?? null)
      line.add(at);
    if (root !== null) line.add(root);
    return { line: [...line], directory, agent: agent ?? "" };
  }

  /** The next entries after a position, and the position up to which the log was read. */
  return (after: number, top: number): { entries: IndexEntry[]; upTo: number } => {
    const end = Math.min(top, after + SPAN);
    const found = rows.all(after, end, MOST_ENTRIES);
    const known = new Map<number, SessionFacts | undefined>();
    const entries: IndexEntry[] = [];
    let weight = 0;
    for (const row of found) {
      const { position, sid, seq, json, sum } = row;
      // A damaged event is left out, as it is by all reads.
      if (isSoundEvent(sid, row)) {
        const terms = indexTerms(JSON.parse(json) as ParleyEvent, () => {
          if (!known.has(sid)) known.set(sid, factsOf(sid));
          return known.get(sid);
        });
        if (terms) entries.push({ position, sid, seq, terms, sum });
        weight += json.length;
      }
      if (weight >= MOST_WEIGHT) return { entries, upTo: position };
    }
    return { entries, upTo: found.length === MOST_ENTRIES ? (found.at(-1)?.position ?? end) : end };
  };
}
