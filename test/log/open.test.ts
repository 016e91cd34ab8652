import assert from "node:assert/strict";
import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { assertWithin } from "../support/time.ts";
import { drafts, entries, numbers, readWhole } from "./drafts.ts";
import { makeDirectory } from "./sqlite-place.ts";
import { append, create, fold, remove } from "./writers.ts";

async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await makeDirectory();
  try {
    await run(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Looks into the file itself. */
function query(directory: string, sql: string): unknown {
  const database = new DatabaseSync(path.join(directory, "parley.db"));
  try {
    return Object.values(database.prepare(sql).get() ?? {})[0];
  } finally {
    database.close();
  }
}

test("a database of a newer version is refused and left as it is", async () => {
  await inDirectory(async (directory) => {
    await (await openSqliteLog({ directory, sync: "process" })).close();
    query(directory, "PRAGMA user_version = 999");
    const refused = openSqliteLog({ directory, sync: "process" });
    await assert.rejects(refused, { code: "unavailable", message: /newer Parley \(schema 999/ });
    assert.equal(query(directory, "PRAGMA user_version"), 999);
  });
});

test("directory and files are for their owner only", async () => {
  await inDirectory(async (parent) => {
    const directory = path.join(parent, "deep", "data");
    const log = await openSqliteLog({ directory, sync: "disk" });
    await create(log, "ses_a");
    const mode = async (name: string) => (await stat(path.join(directory, name))).mode & 0o777;
    assert.deepEqual([await mode(""), await mode("parley.db"), await mode("parley.db-wal")], [0o700, 0o600, 0o600]);
    await log.close();
  });
});

test("closing leaves one file that holds everything", async () => {
  await inDirectory(async (directory) => {
    const log = await openSqliteLog({ directory, sync: "process" });
    await create(log, "ses_a");
    await log.close();
    await assert.rejects(stat(path.join(directory, "parley.db-wal")), { code: "ENOENT" });
    assert.equal(query(directory, "SELECT count(*) FROM events"), 1);
  });
});

test("a removal that was cut short is finished after the next start", async () => {
  await inDirectory(async (directory) => {
    const log = await openSqliteLog({ directory, sync: "process" });
    const deltas = Array.from({ length: 5000 }, (_, n) => drafts.delta("A", `${n}`));
    await create(log, "ses_a", ...deltas, drafts.ended("deleted"));
    const removal = assert.rejects(remove(log, "ses_a"), { code: "shutting_down" });
    while (await log.head("ses_a")) await nextTurn();
    await log.close();
    await removal;
    assert.ok(Number(query(directory, "SELECT count(*) FROM events")) > 1, "it was not cut short");

    const again = await openSqliteLog({ directory, sync: "process" });
    assert.deepEqual(numbers(await again.readAll({ after: 0, limit: 10 })), [5002], "forgotten already");
    // Work of this kind is done in turn, so that this waits for the sweep.
    await (await again.open({ id: "ses_new" })).fold(1);
    await again.close();
    assert.equal(query(directory, "SELECT count(*) FROM events"), 1);
  });
});

test("a fold that was cut short leaves no hole and goes on", async () => {
  await inDirectory(async (directory) => {
    const log = await openSqliteLog({ directory, sync: "process" });
    const deltas = Array.from({ length: 5000 }, (_, n) => drafts.delta("A", `${n}`));
    await create(log, "ses_a", ...deltas, drafts.completed("A", "all"));
    const folding = assert.rejects(fold(log, "ses_a", 5002), { code: "shutting_down" });
    while ((await readWhole(log, "ses_a")).length === 5002) await nextTurn();
    await log.close();
    await folding;

    const again = await openSqliteLog({ directory, sync: "process" });
    const half = await readWhole(again, "ses_a");
    assert.ok(half.length > 2, "it was not cut short");
    assert.equal(half[1]?.folded, (half[1]?.seq ?? 0) - 2);
    await fold(again, "ses_a", 5002);
    assert.deepEqual(
      (await readWhole(again, "ses_a")).map(({ seq, folded }) => [seq, folded]),
      [
        [1, 0],
        [5002, 5000],
      ],
    );
    await again.close();
  });
});

test("more sessions than are kept in memory all go on where they were", async () => {
  await inDirectory(async (directory) => {
    const ids = Array.from({ length: 1000 }, (_, n) => `ses_${String(n).padStart(4, "0")}`);
    const log = await openSqliteLog({ directory, sync: "process" });
    await Promise.all(ids.map((id) => create(log, id, drafts.turnStarted(`trn_${id}`))));
    for (const id of ids) await append(log, id, entries(drafts.delta("A", "x")));
    await log.close();

    const began = performance.now();
    const again = await openSqliteLog({ directory, sync: "process" });
    const open = await again.unsettled();
    const elapsed = performance.now() - began;
    assert.equal(open.length, 1000);
    assertWithin(elapsed, 1000, "the log is open");
    const ended = await Promise.all(
      open.map(({ id, turn }) => append(again, id, entries(drafts.turnEnded(turn?.id ?? "")))),
    );
    assert.deepEqual(new Set(ended.flatMap(numbers)), new Set([4]));
    assert.deepEqual(await again.unsettled(), []);
    await again.close();
  });
});

test("a database that another program has locked refuses an append soon, says why, and goes on afterwards", async () => {
  await inDirectory(async (directory) => {
    const log = await openSqliteLog({ directory, sync: "process" });
    await create(log, "ses_a");
    const other = new DatabaseSync(path.join(directory, "parley.db"));
    try {
      other.exec("BEGIN IMMEDIATE");
      const refused = { code: "unavailable", message: /another program holds parley.db locked/ };
      await assert.rejects(append(log, "ses_a", entries(drafts.updated("x"))), refused);
      await assert.rejects(log.check(), refused);
      other.exec("ROLLBACK");
      assert.deepEqual(numbers(await append(log, "ses_a", entries(drafts.updated("x")))), [2]);
    } finally {
      other.close();
      await log.close();
    }
  });
});
