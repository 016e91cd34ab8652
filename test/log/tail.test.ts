import assert from "node:assert/strict";
import { test } from "node:test";
import type { Log } from "../../src/log/contract.ts";
import { drafts, entries, numbers } from "./drafts.ts";
import { withLog } from "./place.ts";
import { follow, some, upTo } from "./probe.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { append, create, fold, prune } from "./writers.ts";

test("it catches up page by page, then is live, with every number once", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a", ...some(99));
    const probe = follow(log, { session: "ses_a", after: 0, page: 10 });
    const appends = upTo(50).map(() => append(log, "ses_a", entries(...some(2))));
    await Promise.all([...appends, create(log, "ses_b")]);
    await probe.has(200);
    await append(log, "ses_a", entries(...some(3)));
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
    const other = await log.open({ id: "ses_b" });
    await Promise.all([other.append(0, entries(drafts.started())), append(log, "ses_a", entries(...some(1)))]);
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
    await append(log, "ses_a", entries(...some(1)));
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
    for (let n = 0; n < 30; n++) await append(log, "ses_a", entries(...some(1)));
    assert.deepEqual(probe.pages, [1]);
    const before = room;
    room = Promise.withResolvers();
    before.resolve();
    await probe.has(11);
    await append(log, "ses_a", entries(...some(1)));
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
    await append(log, "ses_a", entries(...some(1)));
    await append(log, "ses_a", entries(...some(1)));
    await append(log, "ses_a", entries(...some(1)));
    assert.deepEqual(probe.pages, [1, 1]);
    full = undefined;
    room.resolve();
    await probe.has(4);
    await append(log, "ses_a", entries(...some(1)));
    assert.deepEqual(probe.pages, [1, 1, 2, 1]);
    assert.deepEqual(numbers(probe.records), upTo(5));
    probe.tail.close();
  });
});

test("a cursor into folded deltas resumes without a gap", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a", ...some(50), drafts.completed("A", "all"));
    await fold(log, "ses_a", 52);
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
    await prune(log, "ses_a", 4);
    const probe = follow(log, { session: "ses_a", after: 1 });
    await probe.has(1);
    assert.deepEqual(probe.gaps, [[1, 4]]);
    assert.deepEqual(numbers(probe.records), [4]);
    probe.tail.close();
  });
});

test("the agent's lines come live and from the log alike", async () => {
  const run = async (log: Log) => {
    const draft = drafts.updated("x");
    await create(log, "ses_a");
    await append(log, "ses_a", [{ draft, native: "first" }]);
    const asked = follow(log, { session: "ses_a", after: 1, native: true });
    const plain = follow(log, { session: "ses_a", after: 1 });
    await Promise.all([asked.has(1), plain.has(1)]);
    await append(log, "ses_a", [{ draft, native: "second" }]);
    assert.deepEqual(
      asked.records.map((record) => record.native),
      ["first", "second"],
    );
    assert.ok(!("native" in (plain.records[0] ?? {})), "not asked for, so not read");
    assert.equal(plain.records[1], asked.records[1], "one object for all, so that it can be serialised once");
    asked.tail.close();
    plain.tail.close();
  };
  await withLog(sqlitePlace, run, { keepNative: true });
});
