import assert from "node:assert/strict";
import { chmod, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { ParleyError } from "../../src/core/errors.ts";
import type { Log } from "../../src/log/contract.ts";
import { toStorageError } from "../../src/log/sqlite/errors.ts";
import { createSqliteLog } from "../../src/log/sqlite/log.ts";
import { openDatabase, openSqliteLog } from "../../src/log/sqlite/open.ts";
import { createPlaceGuard } from "../../src/log/sqlite/place-guard.ts";
import { drafts, entries, numbers, readWhole } from "./drafts.ts";
import { makeDirectory } from "./sqlite-place.ts";
import { append, create, fold } from "./writers.ts";

/** A log whose database the test can take space and rights from. */
async function withDatabase(run: (log: Log, database: DatabaseSync) => Promise<void>): Promise<void> {
  const directory = await makeDirectory();
  const database = openDatabase(directory, "process");
  const log = createSqliteLog(database, {
    directory,
    keepNative: false,
    guard: createPlaceGuard(directory),
    early: true,
    hasSpace: () => true,
    report: (thrown: unknown) => assert.fail(String(thrown)),
  });
  try {
    await run(log, database);
  } finally {
    await log.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const big = drafts.updated("x".repeat(100_000));

test("a full disk refuses the whole group, keeps nothing of it and recovers", async () => {
  await withDatabase(async (log, database) => {
    await create(log, "ses_a", drafts.updated("before"));
    const head = await log.head("ses_a");
    let heard = 0;
    log.listenAll(() => heard++);
    database.exec("PRAGMA max_page_count = 1");

    const group = [append(log, "ses_a", entries(drafts.updated("small"))), append(log, "ses_a", entries(big, big))];
    for (const append of group) await assert.rejects(append, { name: "ParleyError", code: "disk_full" });
    await assert.rejects(create(log, "ses_b", big), { code: "disk_full" });
    assert.equal(heard, 0);
    assert.deepEqual(await log.head("ses_a"), head);
    assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2]);
    assert.equal(await log.head("ses_b"), undefined);
    assert.equal(await log.position(), 2);

    database.exec("PRAGMA max_page_count = 1000000");
    assert.deepEqual(numbers(await append(log, "ses_a", entries(big))), [3]);
    assert.deepEqual(numbers(await create(log, "ses_b")), [1]);
    assert.equal(heard, 2);
    assert.equal(await log.position(), 4);
  });
});

test("a refused append in a group that meets a full disk keeps its own reason", async () => {
  await withDatabase(async (log, database) => {
    await create(log, "ses_a");
    database.exec("PRAGMA max_page_count = 1");
    const unknown = append(log, "ses_none", entries(big));
    const full = append(log, "ses_a", entries(big));
    await assert.rejects(unknown, { code: "session_not_found" });
    await assert.rejects(full, { code: "disk_full" });
    database.exec("PRAGMA max_page_count = 1000000");
  });
});

test("a database that cannot be written is unavailable, is still read, and recovers", async () => {
  await withDatabase(async (log, database) => {
    await create(log, "ses_a", drafts.delta("A", "1"), drafts.completed("A", "1"));
    database.exec("PRAGMA query_only = 1");
    await assert.rejects(append(log, "ses_a", entries(drafts.updated("x"))), { code: "unavailable" });
    await assert.rejects(log.check(), { code: "unavailable" });
    await assert.rejects(fold(log, "ses_a", 3), { code: "unavailable" });
    assert.equal((await readWhole(log, "ses_a")).length, 3);
    database.exec("PRAGMA query_only = 0");
    await log.check();
    await fold(log, "ses_a", 3);
    assert.deepEqual(numbers(await append(log, "ses_a", entries(drafts.updated("x")))), [4]);
  });
});

test("a failure in the middle of a group leaves nothing of it", async () => {
  await withDatabase(async (log, database) => {
    await create(log, "ses_a");
    const foreign = "INSERT INTO events (position, sid, seq, type, json) VALUES (1000, 1, 3, 'foreign', '{}')";
    database.exec(foreign);
    const group = [2, 3].map((n) => append(log, "ses_a", entries(drafts.updated(`${n}`))));
    for (const append of group) await assert.rejects(append, { code: "unavailable" });
    database.exec("DELETE FROM events WHERE position = 1000");
    assert.deepEqual(numbers(await append(log, "ses_a", entries(drafts.updated("x")))), [2]);
    assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2]);
  });
});

test("a check fails on a disk that would not take an ordinary append", async () => {
  await withDatabase(async (log, database) => {
    await create(log, "ses_a");
    database.exec("PRAGMA max_page_count = 1");
    await assert.rejects(log.check(), { code: "disk_full" });
    database.exec("PRAGMA max_page_count = 1000000");
    await log.check();
  });
});

const root = process.getuid?.() === 0;

test("a read-only directory is unavailable", { skip: root && "root may write anywhere" }, async () => {
  const directory = await makeDirectory();
  try {
    await chmod(directory, 0o500);
    await assert.rejects(openSqliteLog({ directory, sync: "process" }), { code: "unavailable" });
  } finally {
    await chmod(directory, 0o700);
    await rm(directory, { recursive: true, force: true });
  }
});

test("a data directory that is a file is unavailable, and a database that is none is damaged", async () => {
  const directory = await makeDirectory();
  try {
    const file = path.join(directory, "parley.db");
    await writeFile(file, "this is not a database, but it is long enough to be looked at".repeat(100));
    await assert.rejects(openSqliteLog({ directory, sync: "process" }), { code: "log_damaged" });
    await assert.rejects(openSqliteLog({ directory: file, sync: "process" }), { code: "unavailable" });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

describe("toStorageError", () => {
  const sqlite = (errcode: number) => Object.assign(new Error("sqlite"), { code: "ERR_SQLITE_ERROR", errcode });
  const rows: [what: string, thrown: unknown, hasSpace: boolean, code: string][] = [
    ["SQLITE_FULL", sqlite(13), true, "disk_full"],
    ["SQLITE_IOERR_WRITE without space", sqlite(778), false, "disk_full"],
    ["SQLITE_IOERR_WRITE with space", sqlite(778), true, "unavailable"],
    ["SQLITE_READONLY", sqlite(8), false, "unavailable"],
    ["SQLITE_CORRUPT", sqlite(11), true, "log_damaged"],
    ["SQLITE_NOTADB", sqlite(26), true, "log_damaged"],
    ["ENOSPC", Object.assign(new Error("no space"), { code: "ENOSPC" }), true, "disk_full"],
    ["EACCES", Object.assign(new Error("denied"), { code: "EACCES" }), true, "unavailable"],
    ["a ParleyError", new ParleyError("invalid", "as it is"), true, "invalid"],
    ["something else", "odd", true, "unavailable"],
  ];
  for (const [what, thrown, hasSpace, code] of rows) {
    test(`${what} is ${code}`, () => {
      assert.equal(toStorageError(thrown, () => hasSpace).code, code);
    });
  }
});
