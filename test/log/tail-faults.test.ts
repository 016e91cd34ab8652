import assert from "node:assert/strict";
import { test } from "node:test";
import { ParleyError } from "../../src/core/errors.ts";
import type { EventRecord, Log } from "../../src/log/contract.ts";
import { type TailSink, tail } from "../../src/log/tail.ts";
import { drafts, entries, numbers } from "./drafts.ts";
import { withLog } from "./place.ts";
import { follow, some, upTo } from "./probe.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { append, create } from "./writers.ts";

/** A log that loses the hints while it is deaf. */
function forgetful(log: Log): { log: Log; deaf: boolean; hint: (() => void) | undefined } {
  const state = { log, deaf: false, hint: undefined as (() => void) | undefined };
  state.log = {
    ...log,
    listen(session, listener) {
      state.hint = () => listener([], []);
      return log.listen(session, (...heard) => state.deaf || listener(...heard));
    },
    listenAll(listener) {
      state.hint = () => listener([], [], 0);
      return log.listenAll((...heard) => state.deaf || listener(...heard));
    },
  };
  return state;
}

for (const session of ["ses_a", null])
  for (const [how, makeUp] of [
    ["the next one shows the jump", ({ log }) => append(log, "ses_a", entries(...some(1)))],
    ["a hint without records comes", ({ hint }) => hint?.()],
  ] as [string, (state: { log: Log; hint?: () => void }) => unknown][])
    test(`a commit that no hint told of is read when ${how}, ${session ? "of one session" : "of all"}`, async () => {
      await withLog(sqlitePlace, async (log) => {
        await create(log, "ses_a");
        const state = forgetful(log);
        const probe = follow(state.log, { session, after: 0 });
        await probe.has(1);
        state.deaf = true;
        await append(log, "ses_a", entries(...some(4)));
        state.deaf = false;
        const stored = (await log.head("ses_a"))?.last ?? 0;
        await makeUp({ log, hint: state.hint });
        await probe.has(stored);
        await append(log, "ses_a", entries(...some(1)));
        const last = (await log.head("ses_a"))?.last ?? 0;
        await probe.has(last);
        assert.deepEqual(numbers(probe.records), upTo(last));
        assert.deepEqual(probe.gaps, []);
        probe.tail.close();
      });
    });

test("a commit it is told of twice is passed on once", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    const stutterer: Log = {
      ...log,
      listenAll: (listener) =>
        log.listenAll((...heard) => {
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

test("a log that is away for a while is waited for, and the tail goes on where it was", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a", drafts.updated("x"));
    let away = 2;
    const read: Log["read"] = (...asked) =>
      away-- > 0 ? Promise.reject(new ParleyError("unavailable", "the database is away")) : log.read(...asked);
    const seen = Promise.withResolvers<readonly EventRecord[]>();
    const sink: TailSink = {
      write: (records) => void seen.resolve(records),
      gap: () => undefined,
      failed: seen.reject,
    };
    const following = tail({ ...log, read }, "ses_a", { after: 0 }, sink);
    assert.deepEqual(numbers([...(await seen.promise)]), [1, 2]);
    following.close();
  });
});
