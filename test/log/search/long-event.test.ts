import assert from "node:assert/strict";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqliteLog } from "../../../src/log/sqlite/open.ts";
import { createNextEntries } from "../../../src/log/sqlite/search/next-entries.ts";
import { drafts, entries } from "../drafts.ts";
import { makeDirectory } from "../sqlite-place.ts";
import { create } from "../writers.ts";

const LONG = "needle ".repeat(300_000);

async function logWith(...texts: string[]): Promise<DatabaseSync> {
  const directory = await makeDirectory();
  const log = await openSqliteLog({ directory, sync: "process" });
  await create(log, "ses_a");
  const hold = await log.open("ses_a");
  for (const [at, text] of texts.entries()) await hold.append(at + 1, entries(drafts.completed(`itm_${at}`, text)));
  await log.close();
  return new DatabaseSync(path.join(directory, "parley.db"));
}

/** The positions that each call indexes, until all are. */
function calls(database: DatabaseSync, top: number): number[][] {
  const next = createNextEntries(database);
  const found: number[][] = [];
  for (let after = 1; after < top; ) {
    const { entries: some, upTo } = next(after, top);
    found.push(some.map(({ position }) => position));
    assert.ok(found.length < 20, "it goes on for ever");
    after = upTo;
  }
  return found;
}

test("a long event is read in one call and indexed in the next, by itself", async () => {
  const database = await logWith("first", LONG, LONG, "last");
  assert.deepEqual(calls(database, 5), [[2], [3], [], [4], [5]]);
  database.close();
});

test("a long event that is damaged is left out", async () => {
  const database = await logWith("first", LONG, "last");
  database.exec("UPDATE events SET json = replace(json, 'needle', 'noodle') WHERE seq = 3");
  assert.deepEqual(calls(database, 4).flat(), [2, 4]);
  database.exec("UPDATE events SET json = CAST(replace(json, 'noodle', 'needle') AS BLOB) WHERE seq = 3");
  assert.deepEqual(calls(database, 4).flat(), [2, 4]);
  database.close();
});
