import { randomUUID } from "node:crypto";
import type { Database } from "../../postgres/database.ts";
import { type CommitHint, readPayload, toPayloads } from "./hint-lines.ts";
import { type Pace, pauseAfter } from "./pace.ts";
import { toArray } from "./texts.ts";

export const CHANNEL = "parley";
/** The time between two notifications of a node. */
const PACE: Pace = { shortestMs: 5, longestMs: 20, perThingMs: 4 };
/** A notification of its own that a node has not heard by then is lost, and others' too. */
const ECHO_MS = 2_000;
/** The longest time without a sign that notifications come. */
const SILENT_MS = 10_000;
/** The shortest time between two new connections for want of a sign: an address that never tells is no reason to knock on and on. */
const RENEW_MS = 30_000;

type HintHandler = (text: string) => void;

/** Small words between nodes. Any of them may be lost: what they are about must be found without them, too. */
export interface Hints {
  /** Tells the other nodes a text of one line. */
  send(kind: string, text: string): void;
  /** Hears what other nodes send. Returns the way to stop. */
  on(kind: string, handler: HintHandler): () => void;
}

export interface HintOptions {
  database: Pick<Database, "order" | "listen">;
  /** Notifications come, or come again: some may have been lost. */
  up(): void;
  report(thrown: unknown): void;
}

/** Sends and hears notifications. A node hears its own, too, and so knows whether they come and how late. */
export function createHints({ database, up, report }: HintOptions) {
  const sender = randomUUID().slice(0, 8);
  const handlers = new Map<string, Set<HintHandler>>();
  let commits = new Map<string, CommitHint>();
  let others: string[] = [];
  /** Commits since the last notification. */
  let stored = 0;
  let pause = PACE.shortestMs;
  let number = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let probing = false;
  /** When each notification was sent that has not been heard yet. */
  const awaited = new Map<number, number>();
  let heardAt = Number.NEGATIVE_INFINITY;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let mute = false;
  let lagMs = 0;
  let closed = false;

  const listening = database.listen(CHANNEL, {
    heard,
    up() {
      awaited.clear();
      probe();
      up();
    },
  });

  function heard(payload: string): void {
    const read = readPayload(payload);
    if (!read) return;
    if (read.sender === sender) return echoed(read.number);
    for (const { kind, text } of read.lines) {
      for (const handler of handlers.get(kind) ?? []) {
        try {
          handler(text);
        } catch (thrown) {
          report(thrown);
        }
      }
    }
  }

  function echoed(heardNumber: number): void {
    const now = performance.now();
    const at = awaited.get(heardNumber);
    if (at !== undefined) lagMs = now - at;
    for (const known of awaited.keys()) if (known <= heardNumber) awaited.delete(known);
    heardAt = now;
    if (mute) up();
    mute = false;
  }

  function schedule(): void {
    if (sending || timer !== undefined || closed) return;
    const wait = sentAt + pause - performance.now();
    if (wait > 0) timer = setTimeout(flush, wait).unref();
    else flush();
  }

  function flush(): void {
    timer = undefined;
    if (commits.size === 0 && others.length === 0 && !probing) return;
    number += 1;
    const payloads = toPayloads(sender, number, [...commits.values()], others);
    commits = new Map();
    others = [];
    pause = pauseAfter(stored, PACE);
    stored = 0;
    probing = false;
    sentAt = performance.now();
    awaited.set(number, sentAt);
    const sql = `SELECT pg_notify('${CHANNEL}', payload) FROM unnest($1::text[]) payload`;
    sending = database
      .order(sql, [toArray(payloads)])
      .catch((thrown: unknown) => {
        awaited.clear();
        report(thrown);
      })
      .then(() => {
        sending = undefined;
        schedule();
      });
  }

  function probe(): void {
    probing = true;
    schedule();
  }

  return {
    send(kind: string, text: string): void {
      others.push(`${kind} ${text}`);
      schedule();
    },
    on(kind: string, handler: HintHandler): () => void {
      const own: HintHandler = (text) => handler(text);
      const known = handlers.get(kind) ?? new Set();
      handlers.set(kind, known.add(own));
      return () => known.delete(own);
    },
    commit({ session, from, to }: CommitHint): void {
      const before = commits.get(session);
      commits.set(session, { session, from: before?.from ?? from, to });
      stored += 1;
      schedule();
    },
    /** Looks whether notifications come, and sends one to find out. */
    look(): void {
      const now = performance.now();
      const [oldest] = awaited.values();
      if (oldest !== undefined && now - oldest > ECHO_MS) {
        mute = true;
        awaited.clear();
        if (listening.up && now - renewedAt > RENEW_MS) {
          renewedAt = now;
          listening.renew("its notifications do not come");
        }
      }
      if (now - Math.max(heardAt, sentAt) > SILENT_MS) probe();
    },
    /** Whether notifications come, as far as it shows. */
    up: () => listening.up && !mute,
    /** Milliseconds from the sending of a hint until it is heard, the last time. */
    lagMs: () => lagMs,
    async close(): Promise<void> {
      clearTimeout(timer);
      await sending;
      flush();
      await sending;
      closed = true;
      await listening.stop();
    },
  };
}
