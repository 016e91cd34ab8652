import assert from "node:assert/strict";
import { test } from "node:test";
import type { Log, LogRecord } from "../../src/log/contract.ts";
import { type Tail, type TailQuery, type TailSink, tail } from "../../src/log/tail.ts";
import { create, drafts, entries, numbers } from "./drafts.ts";
import { withLog } from "./place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

interface Probe {
  tail: Tail;
  records: LogRecord[];
  pages: number[];
  gaps: [number, number][];
  errors: unknown[];
  /** Resolves when so many records have come. */
  has(count: number): Promise<void>;
}

/** A tail into an array. `write` decides whether the sink is full. */
function follow(
  log: Log,
  query: TailQuery,
  write?: (records: readonly LogRecord[]) => Promise<void> | undefined,
): Probe {
  const waiting: { count: number; resolve(): void }[] = [];
  const probe = {
    records: [] as LogRecord[],
    pages: [] as number[],
    gaps: [] as [number, number][],
    errors: [] as unknown[],
  };
  const sink: TailSink = {
    write(records) {
      probe.records.push(...records);
      probe.pages.push(records.length);
      for (const { count, resolve } of waiting) if (probe.records.length >= count) resolve();
      return write?.(records);
    },
    gap(after, next) {
      probe.gaps.push([after, next.seq]);
      return undefined;
    },
    failed: (error) => probe.errors.push(error),
  };
  const has = (count: number) =>
    new Promise<void>((resolve) => {
      if (probe.records.length >= count) resolve();
      else waiting.push({ count, resolve });
    });
  return Object.assign(probe, { tail: tail(log, query, sink), has });
}

const some = (count: number, item = "A") => Array.from({ length: count }, (_, n) => drafts.delta(item, `${n}`));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

test("it catches up page by page, then is live, with every number once", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a", ...some(99));
    const probe = follow(log, { session: "ses_a", after: 0, page: 10 });
    const appends = upTo(50).map(() => log.append("ses_a", entries(...some(2))));
    await Promise.all([...appends, create(log, "ses_b")]);
    await probe.has(200);
    await log.append("ses_a", entries(...some(3)));
    assert.deepEqual(numbers(probe.records), upTo(203));
    assert.equal(probe.tail.cursor, 203);
    assert.deepEqual(probe.gaps, []);
    probe.tail.close();
  });
});

test("it begins after its cursor", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a", ...some(9));
    const probe = follow(log, { session: "ses_a", after: 7 });
    await probe.has(3);
    assert.deepEqual(numbers(probe.records), [8, 9, 10]);
    probe.tail.close();
  });
});

test("it follows all sessions by position", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a", ...some(4));
    const probe = follow(log, { session: null, after: 2, page: 2 });
    await probe.has(3);
    await Promise.all([create(log, "ses_b"), log.append("ses_a", entries(...some(1)))]);
    assert.deepEqual(
      probe.records.map((record) => `${record.session}:${record.seq}`),
      ["ses_a:3", "ses_a:4", "ses_a:5", "ses_b:1", "ses_a:6"],
    );
    probe.tail.close();
  });
});

test("live records come in the very call of the commit", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    const probe = follow(log, { session: "ses_a", after: 0 });
    await probe.has(1);
    let atCommit = -1;
    log.listen("ses_a", () => {
      atCommit = probe.records.length;
    });
    await log.append("ses_a", entries(...some(1)));
    assert.equal(atCommit, 2, "the tail listened first, so it has written when the next listener hears");
    probe.tail.close();
  });
});

test("a full sink gets nothing more until it has room, then the rest by pages", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    let room = Promise.withResolvers<void>();
    const probe = follow(log, { session: "ses_a", after: 0, page: 10 }, () => room.promise);
    await probe.has(1);
    for (let n = 0; n < 30; n++) await log.append("ses_a", entries(...some(1)));
    assert.deepEqual(probe.pages, [1]);
    const before = room;
    room = Promise.withResolvers();
    before.resolve();
    await probe.has(11);
    await log.append("ses_a", entries(...some(1)));
    assert.deepEqual(probe.pages, [1, 10]);
    room.resolve();
    await probe.has(32);
    assert.deepEqual(numbers(probe.records), upTo(32));
    assert.ok(Math.max(...probe.pages) <= 10);
    probe.tail.close();
  });
});

test("a sink that fills while live is read for later", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    const room = Promise.withResolvers<void>();
    let full: Promise<void> | undefined;
    const probe = follow(log, { session: "ses_a", after: 0 }, () => full);
    await probe.has(1);
    full = room.promise;
    await log.append("ses_a", entries(...some(1)));
    await log.append("ses_a", entries(...some(1)));
    await log.append("ses_a", entries(...some(1)));
    assert.deepEqual(probe.pages, [1, 1]);
    full = undefined;
    room.resolve();
    await probe.has(4);
    await log.append("ses_a", entries(...some(1)));
    assert.deepEqual(probe.pages, [1, 1, 2, 1]);
    assert.deepEqual(numbers(probe.records), upTo(5));
    probe.tail.close();
  });
});

test("a cursor into folded deltas resumes without a gap", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a", ...some(50), drafts.completed("A", "all"));
    await log.fold("ses_a", 52);
    const probe = follow(log, { session: "ses_a", after: 20 });
    await probe.has(1);
    assert.deepEqual(numbers(probe.records), [52]);
    assert.deepEqual(probe.gaps, []);
    probe.tail.close();
  });
});

test("a cursor before what is kept is told of the gap first", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a", drafts.turnStarted("t1"), drafts.turnEnded("t1"), drafts.turnStarted("t2"));
    await log.prune("ses_a", 4);
    const probe = follow(log, { session: "ses_a", after: 1 });
    await probe.has(1);
    assert.deepEqual(probe.gaps, [[1, 4]]);
    assert.deepEqual(numbers(probe.records), [4]);
    probe.tail.close();
  });
});

test("a commit it was not told of is read when the next one shows the jump", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    let deaf = false;
    const forgetful: Log = {
      ...log,
      listen: (session, listener) => log.listen(session, (...heard) => deaf || listener(...heard)),
    };
    const probe = follow(forgetful, { session: "ses_a", after: 0 });
    await probe.has(1);
    deaf = true;
    await log.append("ses_a", entries(...some(3)));
    deaf = false;
    await log.append("ses_a", entries(...some(1)));
    await probe.has(5);
    assert.deepEqual(numbers(probe.records), upTo(5));
    assert.deepEqual(probe.gaps, []);
    probe.tail.close();
  });
});

test("a commit during a read is read too", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    let reads = 0;
    const slow: Log = {
      ...log,
      async read(session, query) {
        const records = await log.read(session, query);
        if (++reads === 1) await log.append("ses_a", entries(...some(2)));
        return records;
      },
    };
    const probe = follow(slow, { session: "ses_a", after: 0 });
    await probe.has(3);
    assert.deepEqual(numbers(probe.records), upTo(3));
    assert.equal(reads, 2);
    probe.tail.close();
  });
});

test("a closed tail is silent, even when closed in the call that made it full", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    const probe = follow(log, { session: "ses_a", after: 0 }, (records) => {
      if (records[0]?.seq !== 2) return undefined;
      probe.tail.close();
      return Promise.resolve();
    });
    await probe.has(1);
    await log.append("ses_a", entries(...some(1)));
    await log.append("ses_a", entries(...some(1)));
    await log.append("ses_a", entries(...some(1)));
    assert.deepEqual(numbers(probe.records), [1, 2]);
    assert.deepEqual(probe.errors, []);
  });
});

test("a sink that throws ends its tail only", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    const bad = follow(log, { session: "ses_a", after: 0 }, (records) => {
      if (records[0]?.seq === 2) throw new Error("broken pipe");
      return undefined;
    });
    const good = follow(log, { session: "ses_a", after: 0 });
    await Promise.all([bad.has(1), good.has(1)]);
    await log.append("ses_a", entries(...some(1)));
    await log.append("ses_a", entries(...some(1)));
    assert.deepEqual(bad.errors.map(String), ["Error: broken pipe"]);
    assert.deepEqual(numbers(bad.records), [1, 2]);
    assert.deepEqual(numbers(good.records), [1, 2, 3]);
    good.tail.close();
  });
});

test("a log that cannot be read ends the tail with the reason", async () => {
  await withLog(sqlitePlace, async (log) => {
    const failed = Promise.withResolvers<unknown>();
    const broken: Log = { ...log, read: () => Promise.reject(new Error("no disk")) };
    const sink: TailSink = { write: () => undefined, gap: () => undefined, failed: failed.resolve };
    tail(broken, { session: "ses_a", after: 0 }, sink);
    assert.equal(String(await failed.promise), "Error: no disk");
  });
});

test("the agent's lines come live and from the log alike, and only when asked for", async () => {
  const run = async (log: Log) => {
    const draft = drafts.updated("x");
    await create(log, "ses_a");
    await log.append("ses_a", [{ draft, native: "first" }]);
    const asked = follow(log, { session: "ses_a", after: 1, native: true });
    const plain = follow(log, { session: "ses_a", after: 1 });
    await Promise.all([asked.has(1), plain.has(1)]);
    await log.append("ses_a", [{ draft, native: "second" }]);
    assert.deepEqual(
      asked.records.map((record) => record.native),
      ["first", "second"],
    );
    for (const record of plain.records) assert.ok(!("native" in record));
    assert.equal(plain.records.length, 2);
    asked.tail.close();
    plain.tail.close();
  };
  await withLog(sqlitePlace, run, { keepNative: true });
});
