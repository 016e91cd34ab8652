import type { DatabaseSync } from "node:sqlite";
import type { ParleyEvent } from "../../../core/events/event.ts";
import { FINDABLE_TYPES } from "../../../core/search/text.ts";
import { indexTerms, type SessionFacts } from "../../search/terms.ts";
import { isSoundEvent, isSoundInBytes } from "../checksum.ts";
import { preparer } from "../statement.ts";
import type { IndexEntry } from "./index-file.ts";

/** Positions that are looked over at once. Most are deltas, whose texts are not read. */
const SPAN = 2_000;
const MOST_ENTRIES = 40;
/** Characters that are read at once, about. */
const MOST_WEIGHT = 100_000;
/** An event of more bytes is read and checked in one call, and indexed in the next. */
const LONG_BYTES = 1_000_000;
/** Sub-agents of sub-agents. */
const DEEPEST = 64;

interface Row {
  position: number;
  sid: number;
  seq: number;
  type: string;
  /** Null for a long event. */
  json: string | null;
  sum: number | null;
}

interface SessionRow {
  id: string;
  parent: string | null;
  root: string | null;
  directory: string;
  agent: string | null;
}

const decoder = new TextDecoder();

/** Reads a log for its index, a little at a time: a few milliseconds of the event loop. */
export function createNextEntries(database: DatabaseSync) {
  const prepared = preparer(database);
  const types = [...FINDABLE_TYPES].map((type) => `'${type}'`).join(", ");
  const rows = prepared<[number, number, number], Row>(
    `SELECT e.position, e.sid, e.seq, e.type,
     CASE WHEN octet_length(e.json) > ${LONG_BYTES} THEN NULL ELSE e.json END AS json, e.sum FROM events e CROSS JOIN sessions s ON s.sid = e.sid
     WHERE e.position > ? AND e.position <= ? AND e.type IN (${types}) AND e.seq >= s.first AND s.state IS NOT NULL
     ORDER BY e.position LIMIT ?`,
  );
  const session = prepared<[number], SessionRow>(
    `SELECT id, parent, root, directory, CASE WHEN json_valid(state) THEN json_extract(state, '$.agent') END AS agent
     FROM sessions WHERE sid = ?`,
  );
  const jsonAt = prepared<[number], { json: Uint8Array }>(
    "SELECT CAST(json AS BLOB) AS json FROM events WHERE position = ? AND typeof(json) = 'text'",
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

  /** The long event that was read in the call before, without bytes where it is damaged. */
  let long: { position: number; bytes: Uint8Array | undefined } | undefined;

  /** The row with its event, undefined where that is long and must be read first. */
  function whole(row: Row): Row | undefined {
    if (row.json !== null) return row;
    const { position } = row;
    if (long?.position === position) return { ...row, json: long.bytes ? decoder.decode(long.bytes) : null };
    const bytes = jsonAt.get(position)?.json;
    long = { position, bytes: isSoundInBytes(row.sid, { ...row, json: bytes }) ? bytes : undefined };
    return undefined;
  }

  /** The next entries after a position, and the position up to which the log was read. */
  return (after: number, top: number): { entries: IndexEntry[]; upTo: number } => {
    const end = Math.min(top, after + SPAN);
    const known = new Map<number, SessionFacts | undefined>();
    const entries: IndexEntry[] = [];
    let [weight, count, last] = [0, 0, end];
    // One by one, so that no more is read than is indexed.
    for (const found of rows.iterate(after, end, MOST_ENTRIES)) {
      const row = whole(found);
      if (!row) return { entries, upTo: found.position - 1 };
      const { position, sid, seq, json, sum } = row;
      // A damaged event is left out, as it is by all reads.
      if (json !== null && (found.json === null || isSoundEvent(sid, row))) {
        const terms = indexTerms(JSON.parse(json) as ParleyEvent, () => {
          if (!known.has(sid)) known.set(sid, factsOf(sid));
          return known.get(sid);
        });
        if (terms) entries.push({ position, sid, seq, terms, sum });
        weight += json.length;
      }
      long = undefined;
      if (weight >= MOST_WEIGHT) return { entries, upTo: position };
      count += 1;
      last = position;
    }
    return { entries, upTo: count === MOST_ENTRIES ? last : end };
  };
}
