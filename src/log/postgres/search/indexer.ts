import type { ParleyEvent } from "../../../core/events/event.ts";
import { FINDABLE_TYPES } from "../../../core/search/text.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { Database } from "../../../postgres/database.ts";
import { indexTerms } from "../../search/terms.ts";
import { toArray } from "../texts.ts";
import { toVector } from "./index-reads.ts";

/** The time from a commit until it is indexed: entries that come together cost less. */
const REST_MS = 250;
/** Between two slices the node has this many times as long for everything else. */
const SHARE = 2;
const LEAST_PAUSE_MS = 1;
/** Events that are read at once. */
const SLICE = 200;

interface Row {
  position: number;
  sid: number;
  seq: number;
  json: string | null;
  line: string[] | null;
  directory: string | null;
  state: string | null;
}

export interface IndexerOptions {
  database: Pick<Database, "query" | "change">;
  report(thrown: unknown): void;
}

/** Fills the index, a slice at a time. Several nodes may: the slice of the first one counts, and the others go on after it. */
export function createIndexer({ database: { query, change }, report }: IndexerOptions) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let closed = false;

  /** Indexes the next events, and says whether there may be more. */
  async function slice(): Promise<boolean> {
    const [progress] = await query<{ position: number }>("SELECT position FROM search_progress");
    const after = progress?.position ?? 0;
    const rows = await query<Row>("SELECT * FROM read_findable_v1($1, $2, $3::text[])", [
      after,
      SLICE,
      toArray([...FINDABLE_TYPES]),
    ]);
    const upTo = rows.at(-1)?.position;
    if (upTo === undefined) return false;
    const entries = rows.flatMap((row) => {
      const terms = termsOf(row);
      return terms ? [{ ...row, terms: toVector(terms) }] : [];
    });
    const positions = toArray(entries.map(({ position }) => position));
    await change("SELECT index_v1($1, $2, $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])", [
      after,
      upTo,
      toArray(entries.map(({ sid }) => sid)),
      toArray(entries.map(({ seq }) => seq)),
      positions,
      toArray(entries.map(({ terms }) => terms)),
    ]);
    // Events that were forgotten while they were read: a sweep that comes later finds the entries.
    if (entries.length > 0) {
      await change(
        `DELETE FROM search_entries n USING sessions s WHERE n.position = ANY ($1::bigint[]) AND s.sid = n.sid
           AND (n.seq < s.first OR s.state IS NULL)`,
        [positions],
      );
    }
    return rows.length === SLICE;
  }

  function run(): void {
    timer = undefined;
    const began = performance.now();
    running = slice()
      .then((more) => {
        running = undefined;
        if (more) wait(Math.max(LEAST_PAUSE_MS, (performance.now() - began) * SHARE));
      })
      .catch((thrown) => {
        running = undefined;
        report(thrown);
      });
  }

  function wait(ms: number): void {
    if (!closed && !running) timer ??= setTimeout(run, ms).unref();
  }

  return {
    /** Something that can be found may have been stored, by any node. */
    stored: () => wait(REST_MS),
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

function termsOf({ json, line, directory, state }: Row): string[] | undefined {
  if (json === null || state === null) return undefined;
  return indexTerms(JSON.parse(json) as ParleyEvent, () => {
    const { agent } = JSON.parse(state) as SessionState;
    return { line: line ?? [], directory: directory ?? "", agent };
  });
}
