import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createHeads } from "../../src/log/sqlite/heads.ts";
import { createSqliteLog } from "../../src/log/sqlite/log.ts";
import { openDatabase } from "../../src/log/sqlite/open.ts";
import { createPlaceGuard } from "../../src/log/sqlite/place-guard.ts";
import { drafts, entries } from "./drafts.ts";
import { makeDirectory } from "./sqlite-place.ts";
import { append, create } from "./writers.ts";

const optionsFor = (directory: string) => ({
  keepNative: false,
  directory,
  guard: createPlaceGuard(directory),
  early: true,
  hasSpace: () => true,
  report: (thrown: unknown) => assert.fail(String(thrown)),
});

/** How many rows were written since the database was opened. */
function rowsWritten(database: DatabaseSync): number {
  return Number(database.prepare("SELECT total_changes() AS rows").get()?.rows);
}

test("deltas write their own rows only, and one tick writes a state once", async () => {
  const directory = await makeDirectory();
  const database = openDatabase(directory, "process");
  const log = createSqliteLog(database, optionsFor(directory));
  try {
    await create(log, "ses_a");
    const cost = async (list: Parameters<typeof entries>, times: number) => {
      const before = rowsWritten(database);
      await Promise.all(Array.from({ length: times }, () => append(log, "ses_a", entries(...list))));
      return rowsWritten(database) - before;
    };
    assert.equal(await cost([drafts.delta("A", "x"), drafts.completed("A", "x")], 10), 20);
    // Each is told by its session, which has a state and a place among the others.
    assert.equal(await cost([drafts.updated("x")], 10), 10 + 10 + 1 + 1);
  } finally {
    await log.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test("the heads in memory are those used last", async () => {
  const directory = await makeDirectory();
  const database = openDatabase(directory, "process");
  const log = createSqliteLog(database, optionsFor(directory));
  try {
    for (const id of ["ses_a", "ses_b", "ses_c"]) await create(log, id);
    const heads = createHeads(database, 2, () => undefined);
    const [a, b] = [heads.find("ses_a"), heads.find("ses_b")];
    assert.equal(heads.find("ses_a"), a, "still the same object");
    heads.find("ses_c");
    assert.equal(heads.find("ses_a"), a);
    assert.notEqual(heads.find("ses_b"), b, "read again, because it was used longest ago");
    assert.deepEqual(heads.find("ses_b"), b);
  } finally {
    await log.close();
    await rm(directory, { recursive: true, force: true });
  }
});
