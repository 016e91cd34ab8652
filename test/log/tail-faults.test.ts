import assert from "node:assert/strict";
import { test } from "node:test";
import type { Log } from "../../src/log/contract.ts";
import { type TailSink, tail } from "../../src/log/tail.ts";
import { entries, numbers } from "./drafts.ts";
import { withLog } from "./place.ts";
import { follow, some, upTo } from "./probe.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { append, create } from "./writers.ts";

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
    await append(log, "ses_a", entries(...some(3)));
    deaf = false;
    await append(log, "ses_a", entries(...some(1)));
    await probe.has(5);
    assert.deepEqual(numbers(probe.records), upTo(5));
    assert.deepEqual(probe.gaps, []);
    probe.tail.close();
  });
});

test("a commit it is told of twice is passed on once", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    const stutterer: Log = {
      ...log,
      listen: (session, listener) =>
        log.listen(session, (...heard) => {
          listener(...heard);
          listener(...heard);
        }),
    };
    const probe = follow(stutterer, { session: null, after: 0 });
    await probe.has(1);
    await append(log, "ses_a", entries(...some(2)));
    assert.deepEqual(numbers(probe.records), upTo(3));
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
        if (++reads === 1) await append(log, "ses_a", entries(...some(2)));
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
    const room = Promise.withResolvers<void>();
    const probe = follow(log, { session: "ses_a", after: 0 }, (records) => {
      if (records[0]?.seq !== 2) return undefined;
      probe.tail.close();
      return room.promise;
    });
    await probe.has(1);
    await append(log, "ses_a", entries(...some(1)));
    await append(log, "ses_a", entries(...some(1)));
    room.resolve();
    await append(log, "ses_a", entries(...some(1)));
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
    await append(log, "ses_a", entries(...some(1)));
    await append(log, "ses_a", entries(...some(1)));
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
    tail(broken, "ses_a", { after: 0 }, sink);
    assert.equal(String(await failed.promise), "Error: no disk");
  });
});
