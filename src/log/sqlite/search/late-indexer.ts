import type { SearchIndex } from "../../search/search.ts";
import type { Indexer, IndexerOptions } from "./indexer.ts";

/** The time from the opening of the log until its index is looked at: a server that starts has better things to do. */
const FIRST_MS = 250;

export type LateIndexer = ReturnType<typeof createLateIndexer>;

/** The indexer of a log, which is loaded some time after the log was opened, or when it is asked for something. */
export function createLateIndexer(options: IndexerOptions) {
  let loading: Promise<Indexer | undefined> | undefined;
  let indexer: Indexer | undefined;
  let closed = false;

  async function load(): Promise<Indexer | undefined> {
    const { createIndexer } = await import("./indexer.ts");
    if (!closed) indexer = createIndexer(options);
    return indexer;
  }

  const loaded = (): Promise<Indexer | undefined> => {
    loading ??= load();
    return loading;
  };

  const timer = setTimeout(() => void loaded().catch(options.report), FIRST_MS).unref();

  return {
    /** Undefined where no index can be had, so that a search looks at all events. */
    index: async (): Promise<SearchIndex | undefined> => (await loaded())?.index(),
    /** Something that can be found was stored at a position. An indexer that is loaded later finds it by itself. */
    stored: (at: number): void => indexer?.stored(at),
    /** Forgets some of what lies below a session's first number, and says whether more is left. */
    forget: async (sid: number, first: number): Promise<boolean> => (await loaded())?.forget(sid, first) ?? false,
    close(): void {
      closed = true;
      clearTimeout(timer);
      indexer?.close();
    },
  };
}
