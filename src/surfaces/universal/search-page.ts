import { readQuery } from "../../core/search/query.ts";
import type { FoundKind } from "../../core/search/text.ts";
import type { SearchHit, SearchPage, SearchQuery } from "../../log/search/contract.ts";

/** A search as a client asks for it. */
export interface AskedSearch {
  q: string;
  session?: string | undefined;
  directory?: string | undefined;
  agent?: string | undefined;
  kind?: FoundKind | undefined;
  after?: string | undefined;
  limit: number;
}

export function toSearchQuery({ q, after, ...rest }: AskedSearch): SearchQuery {
  return { ...rest, sought: readQuery(q), before: after === undefined ? undefined : Number(after) };
}

/** A page as clients get it. Positions are the log's own. */
export function searchAnswer({ hits, next, ...rest }: SearchPage): {
  hits: Omit<SearchHit, "position">[];
  next: string | null;
  indexing?: SearchPage["indexing"];
} {
  return {
    hits: hits.map(({ position: _, ...hit }) => hit),
    next: next === null ? null : String(next),
    ...rest,
  };
}
