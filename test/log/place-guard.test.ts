import assert from "node:assert/strict";
import { copyFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { createPlaceGuard } from "../../src/log/sqlite/place-guard.ts";
import { drafts, entries, numbers, readWhole } from "./drafts.ts";
import { makeDirectory } from "./sqlite-place.ts";
import { append, create, fold } from "./writers.ts";

type Harm = (directory: string) => Promise<void>;

async function replaced(directory: string, name: string): Promise<void> {
  const file = path.join(directory, name);
  await copyFile(file, `${file}.copy`);
  await rename(`${file}.copy`, file);
}

describe("a log whose", () => {
  const harms: [what: string, harm: Harm][] = [
    ["directory was removed", (directory) => rm(directory, { recursive: true })],
    ["directory was moved", (directory) => rename(directory, `${directory}.away`)],
    ["database was removed", (directory) => rm(path.join(directory, "parley.db"))],
    ["database was replaced", (directory) => replaced(directory, "parley.db")],
    ["write-ahead log was removed", (directory) => rm(path.join(directory, "parley.db-wal"))],
    ["write-ahead log was replaced", (directory) => replaced(directory, "parley.db-wal")],
    ["shared memory was removed", (directory) => rm(path.join(directory, "parley.db-shm"))],
    ["guarded lock was removed", (directory) => rm(path.join(directory, "lock"))],
  ];
  for (const [what, harm] of harms) {
    test(`${what} stores and acknowledges nothing`, async () => {
      const directory = await makeDirectory();
      const lock = path.join(directory, "lock");
      await writeFile(lock, "");
      const log = await openSqliteLog({ directory, sync: "process", guarded: [lock] });
      try {
        await create(log, "ses_a");
        assert.equal(log.fault(), undefined);
        await harm(directory);
        assert.equal(log.fault()?.code, "storage_lost");
        let heard = 0;
        log.listenAll(() => heard++);
        const refused = { code: "storage_lost", message: /was removed, moved or replaced while the server runs/ };
        await assert.rejects(append(log, "ses_a", entries(drafts.updated("x"))), refused);
        await assert.rejects(create(log, "ses_b"), refused);
        await assert.rejects(log.check(), refused);
        await assert.rejects(fold(log, "ses_a", 1), refused);
        assert.equal(heard, 0);
        assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1], "it is still read");
        assert.equal(await log.head("ses_b"), undefined);
      } finally {
        await log.close();
        await rm(directory, { recursive: true, force: true });
        await rm(`${directory}.away`, { recursive: true, force: true });
      }
    });
  }
});

test("a log whose directory was put back goes on where it was", async () => {
  const directory = await makeDirectory();
  const log = await openSqliteLog({ directory, sync: "process" });
  try {
    await create(log, "ses_a");
    await rename(directory, `${directory}.away`);
    await assert.rejects(append(log, "ses_a", entries(drafts.updated("lost"))), { code: "storage_lost" });
    await rename(`${directory}.away`, directory);
    assert.equal(log.fault(), undefined);
    assert.deepEqual(numbers(await append(log, "ses_a", entries(drafts.updated("kept")))), [2]);
  } finally {
    await log.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test("for pieces a look counts for 50 ms, and a look after one finds a loss before the next", async () => {
  const directory = await makeDirectory();
  const [file, wal, away] = ["parley.db", "parley.db-wal", "away"].map((name) => path.join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const one of [file, wal]) await writeFile(one, "");
  let steady = 0;
  const guard = createPlaceGuard(directory, [], { now: Date.now, steady: () => steady });
  const lost = { code: "storage_lost" };
  try {
    guard.assertLately();
    for (const one of [file, wal]) {
      await rename(one, away);
      steady += 49;
      guard.assertLately();
      guard.lookAfter();
      assert.throws(() => guard.assertLately(), lost, "a fault that is known is looked at each time");
      await rename(away, one);
      guard.assertLately();
      await rename(one, away);
      steady += 50;
      assert.throws(() => guard.assertLately(), lost, "an old look does not count");
      await rename(away, one);
      assert.equal(guard.fault(), undefined);
    }
    steady += 49;
    guard.lookAfter();
    steady += 49;
    await rename(wal, away);
    guard.assertLately();
    assert.throws(() => guard.assertInPlace(), lost, "anything but a piece looks each time");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
