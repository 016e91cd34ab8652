import type { Database } from "../../../postgres/database.ts";
import type { PlacedRecord } from "../../contract.ts";
import type { SearchIndex } from "../../search/search.ts";
import { type Narrowed, narrow } from "../../search/terms.ts";

interface Row {
  position: number;
  session: string;
  seq: number;
  folded: number;
  type: string;
  json: string;
}

/** The index as any node, or a command that only looks, reads it. */
export function createIndexReads({ query }: Pick<Database, "query">): SearchIndex {
  return {
    async upTo() {
      const [row] = await query<{ position: number }>("SELECT position FROM search_progress");
      return row?.position ?? 0;
    },
    candidates: (asked, before, limit): Promise<PlacedRecord[]> =>
      query<Row>(
        `SELECT f.position, s.id AS session, e.seq, e.folded, e.type, e.json FROM find_v1($1::tsquery, $2, $3) f
         JOIN sessions s ON s.sid = f.sid AND f.seq >= s.first JOIN events e ON e.sid = f.sid AND e.seq = f.seq
         ORDER BY f.position DESC`,
        [toQuery(narrow(asked)), before, limit],
      ),
  };
}

/** A query of PostgreSQL. Terms hold letters, digits and colons, so that quotes are enough. */
function toQuery({ terms, prefixes }: Narrowed): string {
  const alternatives = terms.map((list) => `(${list.map((term) => `'${term}'`).join(" | ")})`);
  return [...alternatives, ...prefixes.map((prefix) => `'${prefix}':*`)].join(" & ");
}

/** A list of terms as PostgreSQL reads one. */
export function toVector(terms: readonly string[]): string {
  return terms.map((term) => `'${term}'`).join(" ");
}
