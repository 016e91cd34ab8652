import { setImmediate as nextTurn } from "node:timers/promises";
import type { Listener, Log, LogRecord } from "./contract.ts";
import { followsOn, runsOf } from "./cursor.ts";

/** Where a tail delivers. */
export interface TailSink {
  /** Takes records, in order. A promise means: full, nothing more until it resolves. */
  write(records: readonly LogRecord[]): Promise<void> | undefined;
  /** The numbers between the cursor and the record that comes next are no longer kept, or cannot be read. */
  gap(after: number, next: LogRecord): Promise<void> | undefined;
  /** The tail has ended: the log could not be read, or the sink itself threw. */
  failed(error: unknown): void;
}

export interface TailQuery {
  /** One session by its numbers, or null for all by their positions. */
  session: string | null;
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

/**
 * Follows a log from a cursor. It reads until it has caught up, then passes on commits as they happen, in the same call.
 * It keeps no queue: what happens while it reads, or while the sink is full, is read from the log afterwards.
 */
export function tail(log: Log, query: TailQuery, sink: TailSink): Tail {
  const { session, native = false, page = PAGE } = query;
  let cursor = query.after;
  let mode: "reading" | "live" | "closed" = "reading";
  /** Whether something was committed since the last read began. */
  let missed = false;

  const numberOf = (record: LogRecord) => (session === null ? record.position : record.seq);
  const isFresh = (record: LogRecord | undefined) => record !== undefined && numberOf(record) > cursor;
  // Positions skip where sessions were folded or forgotten, so only a session's own numbers can show a hole.
  const isHole = (record: LogRecord) => session !== null && !followsOn(cursor, record);

  const onCommit: Listener = (records) => {
    if (mode !== "live") {
      missed = true;
      return;
    }
    const fresh = isFresh(records[0]) ? records : records.filter(isFresh);
    const [first] = fresh;
    if (!first) return;
    if (isHole(first)) return catchUp();
    const full = deliver(fresh);
    if (full) catchUp(full);
  };
  const stop = log.listen(session, onCommit);

  function deliver(records: readonly LogRecord[]): Promise<void> | undefined {
    const last = records.at(-1);
    if (!last) return undefined;
    try {
      cursor = numberOf(last);
      return sink.write(records);
    } catch (thrown) {
      fail(thrown);
      return undefined;
    }
  }

  function catchUp(after?: Promise<void>): void {
    // The sink may have closed the tail in the very call that made it full.
    if (isClosed()) return;
    mode = "reading";
    readOn(after).catch(fail);
  }

  async function readOn(full: Promise<void> | undefined): Promise<void> {
    let wait = full;
    for (;;) {
      await wait;
      wait = undefined;
      if (isClosed()) return;
      missed = false;
      const query = { after: cursor, limit: page, native };
      const records = await (session === null ? log.readAll(query) : log.read(session, query));
      if (isClosed()) return;
      for (const run of session === null ? [records] : runsOf(records)) {
        await wait;
        const [first] = run;
        if (isClosed()) return;
        if (first && isHole(first)) {
          await sink.gap(cursor, first);
          if (isClosed()) return;
        }
        wait = deliver(run);
      }
      // A long history must not keep everybody else waiting.
      if (!wait && records.length === page) wait = nextTurn();
      if (wait || missed) continue;
      if (!isClosed()) mode = "live";
      return;
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
