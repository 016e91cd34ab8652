import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { isParleyError, ParleyError } from "../core/errors.ts";
import type { ParleyEvent } from "../core/events/event.ts";
import type { EventRecord, Log, PlacedRecord, ReadQuery } from "./contract.ts";
import { followsOn, runsOf } from "./cursor.ts";

/** Takes the records of a tail. */
export interface TailSink<Item extends EventRecord = EventRecord> {
  /**
   * Takes records, in order; `live` says that they were stored just now. If it returns a promise, it is full: the next
   * records come when the promise resolves. `events` are what the records hold, where that is known without reading them.
   */
  write(records: readonly Item[], live: boolean, events?: readonly ParleyEvent[]): Promise<void> | undefined;
  /** The numbers between the cursor and the record that comes next are no longer kept, or cannot be read. */
  gap(after: number, next: Item): Promise<void> | undefined;
  /** The tail has ended: the log could not be read, or the sink itself threw. */
  failed(error: unknown): void;
}

export interface TailQuery {
  after: number;
  /** Whether the agents' lines are read too. Live records are shared by all tails, and hold them whenever they are kept. */
  native?: boolean;
  /** Records read at once while catching up. */
  page?: number;
}

export interface Tail {
  /** The number or position that was delivered last. */
  readonly cursor: number;
  close(): void;
}

const PAGE = 256;
/** Pages are read for so long before others have their turn: one a turn would never catch up with a flood. */
const AT_ONCE_MS = 5;

const LOST = "the database has lost events that were told before: read again, from a cursor that it still knows";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

type Heard<Item> = (records: readonly Item[], events: readonly ParleyEvent[], after: number) => void;

/** The records that a tail follows: one session's by their numbers, or all by their positions. */
interface Source<Item> {
  numberOf(item: Item): number;
  read(query: ReadQuery): Promise<Item[]>;
  /** Hears hints. Nothing lies between `after` and the first record. */
  listen(heard: Heard<Item>, lost: () => void): () => void;
  /** Records that were read, cut before each hole. */
  runs(records: Item[]): Item[][];
  followsOn(cursor: number, item: Item): boolean;
}

/** Follows one session from a number. */
export function tail(log: Log, session: string, query: TailQuery, sink: TailSink): Tail {
  const source: Source<EventRecord> = {
    numberOf: (record) => record.seq,
    read: (asked) => log.read(session, asked),
    listen: (heard, lost) =>
      log.listen(
        session,
        (records, events) => {
          const [first] = records;
          heard(records, events, first ? first.seq - first.folded - 1 : 0);
        },
        lost,
      ),
    runs: runsOf,
    followsOn,
  };
  return follow(source, query, sink);
}

/** Follows all sessions from a position. Positions skip, so that no hole can be seen in them. */
export function tailAll(log: Log, query: TailQuery, sink: TailSink<PlacedRecord>): Tail {
  const source: Source<PlacedRecord> = {
    numberOf: (record) => record.position,
    read: (asked) => log.readAll(asked),
    listen: (heard, lost) => log.listenAll(heard, lost),
    runs: (records) => [records],
    followsOn: () => true,
  };
  return follow(source, query, sink);
}

/**
 * Reads until it has caught up, then passes on commits as they happen, in the same call. It keeps no queue: records that
 * are stored while it reads, or while the sink is full, are read from the log afterwards. Hints may be lost: a hint that
 * does not follow on the cursor, or has no records, makes it read.
 */
function follow<Item extends EventRecord>(source: Source<Item>, query: TailQuery, sink: TailSink<Item>): Tail {
  const { native = false, page = PAGE } = query;
  let cursor = query.after;
  let mode: "reading" | "live" | "closed" = "reading";
  /** Whether something was committed since the last read began. */
  let missed = false;

  const isFresh = (record: Item | undefined) => record !== undefined && source.numberOf(record) > cursor;

  const stop = source.listen(hear, () => fail(new ParleyError("unavailable", LOST)));

  function hear(records: readonly Item[], events: readonly ParleyEvent[], after: number): void {
    if (mode !== "live") {
      missed = true;
      return;
    }
    if (records.length === 0 || after > cursor) return catchUp();
    const full = isFresh(records[0]) ? deliver(records, true, events) : deliver(records.filter(isFresh), true);
    if (full) catchUp(full);
  }

  function deliver(
    records: readonly Item[],
    live: boolean,
    events?: readonly ParleyEvent[],
  ): Promise<void> | undefined {
    const last = records.at(-1);
    if (!last) return undefined;
    try {
      cursor = source.numberOf(last);
      return sink.write(records, live, events);
    } catch (thrown) {
      fail(thrown);
      return undefined;
    }
  }

  function catchUp(after?: Promise<void>): void {
    // The sink may have closed the tail in the same call.
    if (isClosed()) return;
    mode = "reading";
    readOn(after).catch(fail);
  }

  async function readOn(full: Promise<void> | undefined): Promise<void> {
    let wait = full;
    let since = performance.now();
    for (;;) {
      await wait;
      if (wait) since = performance.now();
      wait = undefined;
      if (isClosed()) return;
      missed = false;
      const records = await readPatiently({ after: cursor, limit: page, native });
      if (isClosed()) return;
      for (const run of source.runs(records)) {
        await wait;
        const [first] = run;
        if (isClosed()) return;
        if (first && !source.followsOn(cursor, first)) {
          await sink.gap(cursor, first);
          if (isClosed()) return;
        }
        wait = deliver(run, false);
      }
      // A long history must not hold up the event loop.
      const more = records.length === page || missed;
      if (!wait && more && performance.now() - since > AT_ONCE_MS) wait = nextTurn();
      if (wait || more) continue;
      if (!isClosed()) mode = "live";
      return;
    }
  }

  /** A database that is away for a while is waited for: the stream stays open, and goes on where it was. */
  async function readPatiently(asked: ReadQuery): Promise<Item[]> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        return await source.read(asked);
      } catch (error) {
        if (isClosed() || !isParleyError(error) || error.code !== "unavailable") throw error;
        await sleep(wait, undefined, { ref: false });
        if (isClosed()) return [];
      }
    }
  }

  // Asked through a function, because others change the mode while this one waits.
  function isClosed(): boolean {
    return mode === "closed";
  }

  function close(): void {
    mode = "closed";
    stop();
  }

  function fail(error: unknown): void {
    if (isClosed()) return;
    close();
    sink.failed(error);
  }

  catchUp();
  return {
    get cursor() {
      return cursor;
    },
    close,
  };
}
