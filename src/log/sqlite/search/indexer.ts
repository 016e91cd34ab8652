import type { DatabaseSync } from "node:sqlite";
import type { SearchIndex } from "../../search/search.ts";
import { narrow } from "../../search/terms.ts";
import { isDamage } from "../errors.ts";
import type { EventReads } from "../event-reads.ts";
import { prepare } from "../statement.ts";
import { createFindable } from "./findable.ts";
import { discardIndex, type IndexFile, type Mark, openIndexFile } from "./index-file.ts";
import { findLogId } from "./log-id.ts";
import { createNextEntries } from "./next-entries.ts";

/** The time from a commit until it is indexed: entries that come together cost less. */
const REST_MS = 250;
/** Between two slices the event loop has this many times as long for everything else. */
const SHARE = 2;
const LEAST_PAUSE_MS = 1;
/** Entries that are forgotten before others have their turn. */
const FORGET_SLICE = 500;
/** A file that is damaged again and again is given up until the next start. */
const MOST_REBUILDS = 3;

export interface IndexerOptions {
  database: DatabaseSync;
  directory: string;
  events: Pick<EventReads, "at">;
  /** The newest position. */
  position(): number;
  /** Hears once that there is no index, and why. */
  report(thrown: unknown): void;
}

export type Indexer = ReturnType<typeof createIndexer>;

/**
 * Keeps the index in a file beside the log in step with it, some time after each commit: an append costs nothing more. The
 * file has the position up to which it goes, in the same transaction as its entries, and searches look at later events one
 * by one. It can be made anew from the log at any time, and is where it is damaged.
 */
export function createIndexer({ database, directory, events, position, report }: IndexerOptions) {
  const nextEntries = createNextEntries(database);
  const sumAt = prepare<[number], { sum: number | null }>(database, "SELECT sum FROM events WHERE position = ?");
  const log = findLogId(database);
  const findable = createFindable(position());
  let file: IndexFile | undefined;
  let timer: NodeJS.Timeout | undefined;
  let rebuilds = 0;
  let closed = false;
  let told = false;

  function fits({ position: at, sum }: Mark): boolean {
    const found = sumAt.get(at);
    return !found || found.sum === sum;
  }

  /** Runs work with the index. One that is damaged is made anew; without one there is no result. */
  function using<T>(work: (index: IndexFile) => T): T | undefined {
    if (closed || log === undefined) return undefined;
    try {
      if (!file && rebuilds <= MOST_REBUILDS) file = openIndexFile(directory, log, fits, position());
      return file && work(file);
    } catch (thrown) {
      drop(thrown);
      return undefined;
    }
  }

  function drop(thrown: unknown): void {
    if (!told) report(thrown);
    told = true;
    if (file && !isDamage(thrown)) return;
    rebuilds += 1;
    wait(REST_MS);
    try {
      file?.close();
      file = undefined;
      discardIndex(directory);
    } catch {
      // The next use tries again.
    }
  }

  function stored(at: number): void {
    findable.add(at);
    wait(REST_MS);
  }

  function slice(): void {
    timer = undefined;
    const began = performance.now();
    const from = using((index) => index.upTo());
    if (from === undefined || from >= position()) return;
    try {
      const { entries, upTo } = nextEntries(findable.before(from, position()), position());
      const added = using((index) => {
        index.add(entries, upTo);
        return true;
      });
      if (added && upTo < position()) wait(Math.max(LEAST_PAUSE_MS, (performance.now() - began) * SHARE));
    } catch (thrown) {
      // The log itself cannot be read here. Reads of sessions tell its damage, and a repair makes a new index.
      if (!closed) report(thrown);
    }
  }

  function wait(ms: number): void {
    if (!closed) timer ??= setTimeout(slice, ms).unref();
  }

  wait(LEAST_PAUSE_MS);

  const index: SearchIndex = {
    upTo: () => using((open) => open.upTo()) ?? 0,
    candidates: (query, before, limit) => events.at(using((open) => open.find(narrow(query), before, limit)) ?? []),
  };

  return {
    /** Undefined where no index can be had, so that a search looks at all events. */
    index: (): SearchIndex | undefined => (using(() => true) ? index : undefined),
    /** Something that can be found was stored at a position. */
    stored,
    /** Forgets some of what lies below a session's first number, and says whether more is left. */
    forget: (sid: number, first: number): boolean => using((open) => open.forget(sid, first, FORGET_SLICE)) ?? false,
    close(): void {
      closed = true;
      clearTimeout(timer);
      file?.close();
    },
  };
}
