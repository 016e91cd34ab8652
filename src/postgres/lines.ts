import { ParleyError } from "../core/errors.ts";
import type { Address } from "./address.ts";
import { type Connection, connect, type Value } from "./connection.ts";
import { away, type Purpose, toDatabaseError } from "./errors.ts";

/** The time for an answer, after which the connection is given up. */
export const ANSWER_MS = 5_000;
/** The time for a connection to be made. */
const CONNECT_MS = 3_000;
/** The time that a call waits for one, where the last could not be made. A busy database may need longer to take a first connection. */
const WAIT_MS = 1_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** The time that a closing waits for statements under way. */
const CLOSE_MS = 1_000;

export interface LinesOptions {
  address: Address;
  size: number;
  /** Hears of each statement that is sent. */
  sent?: () => void;
}

export interface RunOptions {
  limitMs?: number;
}

interface Job {
  text: string;
  values: readonly Value[];
  purpose: Purpose;
  limitMs: number;
  since: number;
  timer: NodeJS.Timeout | undefined;
  resolve(rows: never[]): void;
  reject(error: unknown): void;
}

export type Lines = ReturnType<typeof createLines>;

/**
 * Some connections to one database that serve one queue. Connections are made when they are needed, and made anew after
 * they were lost. A statement that was sent is never sent again here: whoever asked knows whether it may be.
 */
export function createLines({ address, size, sent }: LinesOptions) {
  const idle: Connection[] = [];
  const busy = new Map<Connection, Promise<unknown>>();
  let connecting = 0;
  let connectingSince = 0;
  let queue: Job[] = [];
  /** The last failure to connect, and the moment from which on it is tried again. */
  let failed: { error: unknown; until: number } | undefined;
  let pause = FIRST_PAUSE_MS;
  let closed = false;

  function run<Row>(
    purpose: Purpose,
    text: string,
    values: readonly Value[] = [],
    { limitMs = ANSWER_MS }: RunOptions = {},
  ): Promise<Row[]> {
    if (closed)
      return Promise.reject(new ParleyError("shutting_down", "the database was closed: the server is stopping"));
    return new Promise<Row[]>((resolve, reject) => {
      const since = performance.now();
      const settle = { resolve: resolve as Job["resolve"], reject };
      const job: Job = { text, values, purpose, limitMs, since, timer: undefined, ...settle };
      queue.push(job);
      pump();
      if (queue.includes(job)) wait(job);
    });
  }

  /** A call waits for its turn as long as for its answer; where nothing is connected, only for the connection under way. */
  function wait(job: Job): void {
    const now = performance.now();
    const patience = failed ? WAIT_MS : CONNECT_MS;
    const until = busy.size > 0 ? job.since + job.limitMs : Math.max(job.since, connectingSince + patience);
    if (until > now) {
      job.timer = setTimeout(() => wait(job), until - now);
      return;
    }
    queue = queue.filter((other) => other !== job);
    refuse(job, away(address.where, busy.size > 0 ? "other statements take too long" : "no connection in time"));
  }

  /** In a turn of the event loop of its own: a caller that asks again at once must not keep a connection from being made. */
  function refuse(job: Job, error: unknown): void {
    clearTimeout(job.timer);
    setImmediate(() => job.reject(error));
  }

  function pump(): void {
    while (queue.length > 0) {
      const connection = idle.pop();
      if (connection) {
        const job = queue.shift();
        if (job) start(connection, job);
        continue;
      }
      if (busy.size + connecting < size && queue.length > connecting) {
        const resting = failed && performance.now() < failed.until;
        if (!resting) {
          open();
          continue;
        }
        if (busy.size === 0 && connecting === 0) refuseAll();
      }
      return;
    }
  }

  function refuseAll(): void {
    const error = toDatabaseError(failed?.error, "read", address);
    for (const job of queue.splice(0)) refuse(job, error);
  }

  function open(): void {
    if (connecting === 0) connectingSince = performance.now();
    connecting += 1;
    let made: Connection | undefined;
    const gone = (): void => {
      const at = made ? idle.indexOf(made) : -1;
      if (at >= 0) idle.splice(at, 1);
    };
    connect({ address, limitMs: CONNECT_MS, gone })
      .then(
        (connection) => {
          made = connection;
          failed = undefined;
          pause = FIRST_PAUSE_MS;
          if (closed) return void connection.end();
          if (connection.alive) idle.push(connection);
        },
        (error: unknown) => {
          failed = { error, until: performance.now() + pause };
          pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        },
      )
      .finally(() => {
        connecting -= 1;
        pump();
      });
  }

  function start(connection: Connection, job: Job): void {
    clearTimeout(job.timer);
    sent?.();
    const answered = connection.run<never>(job.text, job.values, job.limitMs).then(
      (rows) => job.resolve(rows),
      (error: unknown) => job.reject(toDatabaseError(error, job.purpose, address)),
    );
    busy.set(connection, answered);
    answered.finally(() => {
      busy.delete(connection);
      if (closed) return;
      if (connection.alive) idle.push(connection);
      pump();
    });
  }

  return {
    run,
    /** Connections now, with those that are being made. */
    connections: () => idle.length + busy.size + connecting,
    async close(): Promise<void> {
      if (closed) return;
      closed = true;
      const error = new ParleyError("shutting_down", "the database was closed: the server is stopping");
      for (const job of queue.splice(0)) {
        clearTimeout(job.timer);
        job.reject(error);
      }
      const timer = setTimeout(() => {
        for (const connection of busy.keys()) connection.destroy("the server is stopping");
      }, CLOSE_MS);
      const all = [...idle.splice(0), ...busy.keys()];
      await Promise.all(busy.values());
      clearTimeout(timer);
      await Promise.all(all.map((connection) => connection.end()));
    },
  };
}
