import type { SearchOptions, SearchResult } from "../../client/index.ts";
import type { LogReader } from "../../log/contract.ts";
import { searchAnswer, toSearchQuery } from "../../surfaces/universal/search-page.ts";

/** A page of hits as a server would tell it, of a log that is only read. */
export async function searchIn(
  log: Pick<LogReader, "search"> | undefined,
  words: string,
  query: SearchOptions & { limit: number },
): Promise<SearchResult> {
  if (!log) return { hits: [], next: null };
  return searchAnswer(await log.search(toSearchQuery({ q: words, ...query })));
}
