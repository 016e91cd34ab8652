import type { BackQuery, PlacedRecord } from "../contract.ts";
import type { SearchPage, SearchQuery } from "./contract.ts";
import { type HeadOf, judge } from "./judge.ts";

/** Events that one page looks at where no index helps. */
const MOST_SCANNED = 5_000;
/** Candidates of the index that one page looks at. */
const MOST_JUDGED = 500;
/** Characters that one page looks at, about. */
const MOST_WEIGHT = 2_000_000;
/** Newest events that are looked at one by one while they are not in the index. */
const WINDOW = 2_000;
const SCAN_PAGE = 250;
const CANDIDATES_PAGE = 64;

type Awaitable<T> = T | Promise<T>;

/** An index over the events up to a position. */
export interface SearchIndex {
  /** All that was stored up to this position is in it. */
  upTo(): Awaitable<number>;
  /** Events before a position that may be hits, the newest first. */
  candidates(query: SearchQuery, before: number, limit: number): Awaitable<PlacedRecord[]>;
}

export interface SearchSource {
  /** The newest position. */
  position(): Awaitable<number>;
  readAllBack(query: BackQuery): Awaitable<PlacedRecord[]>;
  head: HeadOf;
  /** Without one, all events are looked at. */
  index?: SearchIndex | undefined;
}

/**
 * One page of a search: first the newest events that are not in the index yet, one by one, then what the index knows. The
 * work is bounded in counts: a page may be short, or empty, and still have a next one.
 */
export async function search(source: SearchSource, query: SearchQuery): Promise<SearchPage> {
  const hits: SearchPage["hits"] = [];
  if (query.sought.all.length === 0) return { hits, next: null };
  const top = await source.position();
  const indexed = Math.min(top, (await source.index?.upTo()) ?? 0);
  const floor = source.index ? Math.max(indexed, top - WINDOW) : 0;
  const headOf = remembered(source.head);
  let weight = 0;
  let before = Math.min(query.before ?? top + 1, top + 1);

  /** Judges records, and says whether the page is full. */
  async function full(records: readonly PlacedRecord[]): Promise<boolean> {
    for (const record of records) {
      if (hits.length === query.limit || weight >= MOST_WEIGHT) return true;
      const judged = await judge(record, query, headOf);
      weight += judged.weight;
      if (judged.hit) hits.push(judged.hit);
      before = record.position;
    }
    return hits.length === query.limit;
  }

  const page = (next: number | null): SearchPage => ({
    hits,
    next,
    ...(floor > indexed && { indexing: { done: indexed, of: top } }),
  });

  for (let left = MOST_SCANNED; before > floor + 1; left -= SCAN_PAGE) {
    if (left <= 0) return page(before);
    const records = await source.readAllBack({ before, limit: SCAN_PAGE });
    const newer = records.filter(({ position }) => position > floor).reverse();
    if (await full(newer)) return page(before);
    if (newer.length < SCAN_PAGE) before = floor + 1;
  }
  if (!source.index) return page(null);
  before = Math.min(before, indexed + 1);
  for (let left = MOST_JUDGED; left > 0; left -= CANDIDATES_PAGE) {
    const records = await source.index.candidates(query, before, CANDIDATES_PAGE);
    if (await full(records)) return page(before);
    if (records.length < CANDIDATES_PAGE) return page(null);
  }
  return page(before);
}

/** Heads that one page asks for more than once. */
function remembered(head: HeadOf): HeadOf {
  const known = new Map<string, ReturnType<HeadOf>>();
  return (session) => {
    if (!known.has(session)) known.set(session, head(session));
    return known.get(session);
  };
}
