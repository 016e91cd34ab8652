import assert from "node:assert/strict";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { drafts, entries } from "./drafts.ts";
import { withLog } from "./place.ts";
import { makeDirectory, sqlitePlace } from "./sqlite-place.ts";
import { create } from "./writers.ts";

const HEAVY = "\u{1f600}…long ".repeat(500_000);

test("others are stored while a heavy append is made into bytes, and those of its session behind it", async () => {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    await create(log, "ses_b");
    const [a, b] = [await log.open("ses_a"), await log.open("ses_b")];
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    await Promise.all([
      a.append(1, entries(drafts.completed("itm_a", HEAVY))).then(note("heavy")),
      a.append(2, entries(drafts.delta("itm_c", "behind"))).then(note("behind")),
      b.append(1, entries(drafts.delta("itm_b", "light"))).then(note("light")),
    ]);
    assert.deepEqual(order, ["light", "heavy", "behind"]);
    const [heavy, behind] = await log.read("ses_a", { after: 1, limit: 5 });
    assert.equal(JSON.parse(heavy?.json ?? "").data.item.text, HEAVY);
    assert.equal(behind?.seq, 3);
  });
});

test("a heavy row is the text that a light one would be, and is told as it is stored", async () => {
  const directory = await makeDirectory();
  const log = await openSqliteLog({ directory, sync: "process" });
  await create(log, "ses_a");
  const hold = await log.open("ses_a");
  const heard = Promise.withResolvers<string>();
  log.listen("ses_a", ([record]) => heard.resolve(record?.json ?? ""));
  const [record] = await hold.append(1, entries(drafts.completed("itm_a", HEAVY)));
  const [read] = await log.read("ses_a", { after: 1, limit: 1 });
  assert.equal(read?.json, record?.json);
  assert.equal(await heard.promise, read?.json);
  assert.equal(record?.bytes?.toString(), read?.json);
  // The same call again is known as a repeat.
  const [again] = await hold.append(1, entries(drafts.completed("itm_a", HEAVY)));
  assert.equal(again?.seq, 2);
  await log.close();
  const database = new DatabaseSync(path.join(directory, "parley.db"), { readOnly: true });
  const row = database.prepare("SELECT typeof(json) AS type, length(json) AS length FROM events WHERE seq = 2").get();
  database.close();
  assert.equal(row?.type, "text");
  assert.equal(row?.length, [...(read?.json ?? "")].length);
});

test("a heavy append that waits when the log is closed is stored and told", async () => {
  const directory = await makeDirectory();
  const log = await openSqliteLog({ directory, sync: "process" });
  await create(log, "ses_a");
  const hold = await log.open("ses_a");
  let heard = 0;
  log.listen("ses_a", () => heard++);
  const stored = hold.append(1, entries(drafts.completed("itm_a", HEAVY)));
  await Promise.all([stored, log.close()]);
  assert.equal(heard, 1);
  const again = await openSqliteLog({ directory, sync: "process" });
  const [read] = await again.read("ses_a", { after: 1, limit: 1 });
  assert.equal(JSON.parse(read?.json ?? "").data.item.text, HEAVY);
  await again.close();
});
