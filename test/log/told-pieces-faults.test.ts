import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { createToldPieces } from "../../src/log/sqlite/told-pieces.ts";
import { eventually } from "../support/eventually.ts";
import { drafts, entries, numbers, readWhole } from "./drafts.ts";
import { directoryOf, lock, openIn, piece, tell, textIn } from "./told-pieces.ts";
import { create } from "./writers.ts";

/** More than the heads that are kept in memory. */
const MANY = 300;

test("a session that is pruned while the log closes takes no pieces of others from the file", async (t) => {
  const directory = await directoryOf(t);
  const log = await openSqliteLog({ directory, sync: "process", report: () => undefined });
  for (const id of ["ses_a", "ses_b"]) await create(log, id);
  const [a, b] = [await log.open("ses_a"), await log.open("ses_b")];
  const unlock = lock(t, directory);
  await tell(a, 1, piece("one"));
  await tell(a, 2, piece("two"));
  const pruned = assert.rejects(b.prune(1), { code: "shutting_down" });
  await log.close();
  await pruned;
  await assert.rejects(b.remove());
  unlock();
  assert.deepEqual(numbers(await readWhole(await openIn(t, directory), "ses_a")), [1, 2, 3]);
});

test("a session whose head is read anew does not go back behind what was told", async (t) => {
  const directory = await directoryOf(t);
  const log = await openIn(t, directory);
  await create(log, "ses_a");
  for (let at = 0; at < MANY; at++) await create(log, `ses_other${at}`);
  const held = await log.open("ses_a");
  const unlock = lock(t, directory);
  await tell(held, 1, piece("one"));
  assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1], "the database did not take it");
  for (let at = 0; at < MANY; at++) await log.head(`ses_other${at}`);
  assert.equal((await log.head("ses_a"))?.last, 2);
  const taken = await log.open("ses_a");
  assert.equal(taken.head?.last, 2);
  unlock();
  assert.deepEqual(numbers(await taken.append(2, [piece("two")])), [3]);
  assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2, 3]);
});

test("pieces that come while a session is pruned do not bring its old beginning back", async (t) => {
  const log = await openIn(t, await directoryOf(t));
  await create(log, "ses_a");
  const held = await log.open("ses_a");
  let last = 1;
  for (const turn of ["trn_1", "trn_2", "trn_3"]) {
    const titles = Array.from({ length: 400 }, (_, at) => drafts.updated(`title ${at}`));
    const list = entries(drafts.turnStarted(turn), ...titles, drafts.turnEnded(turn));
    await held.append(last, list);
    last += list.length;
  }
  let isOver = false;
  const pruned = held.prune(last - 1).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    if (held.appendPiece?.(last, piece("x"))) last += 1;
    await nextTurn();
  }
  await pruned;
  await held.append(last, [piece("last")]);
  const [head, base, [first]] = [
    await log.head("ses_a"),
    await log.base("ses_a"),
    await log.read("ses_a", { after: 0, limit: 1 }),
  ];
  assert.ok(head && head.first > 1);
  assert.deepEqual([head.first, head.last], [base?.first, last + 1]);
  assert.equal(first?.seq, head.first);
});

test("what does not follow when the log is opened is forgotten, so that it cannot follow later", async (t) => {
  const directory = await directoryOf(t);
  const log = await openSqliteLog({ directory, sync: "process" });
  await create(log, "ses_a");
  await log.close();
  const file = createToldPieces(directory);
  const event = { ...drafts.delta("itm_a", "of another time"), id: "ses_a:4", seq: 4, session: "ses_a" };
  file.keep(JSON.stringify(event), undefined);
  file.close();
  assert.match(textIn(directory), /of another time/);
  await openIn(t, directory);
  assert.equal(textIn(directory), "");
});

test("the text of a removed session goes, also after a time in which the database took no writes", async (t) => {
  const directory = await directoryOf(t);
  const log = await openIn(t, directory);
  for (const id of ["ses_a", "ses_b"]) await create(log, id);
  const [a, b] = [await log.open("ses_a"), await log.open("ses_b")];
  await a.append(1, entries(drafts.ended("deleted")));
  const unlock = lock(t, directory);
  await tell(b, 1, piece("a secret"));
  await readWhole(log, "ses_b");
  unlock();
  // The database is left alone for a while, and the piece is not stored yet.
  await a.remove();
  await eventually("the file is empty", () => textIn(directory) === "");
  assert.deepEqual(numbers(await readWhole(log, "ses_b")), [1, 2]);
});

test("a log that stores before it tells forgets the pieces of one that did not", async (t) => {
  const directory = await directoryOf(t);
  const log = await openSqliteLog({ directory, sync: "process" });
  await create(log, "ses_a");
  await tell(await log.open("ses_a"), 1, piece("a secret"));
  const copy = await directoryOf(t);
  await cp(directory, copy, { recursive: true });
  await log.close();
  assert.match(textIn(copy), /a secret/);
  assert.deepEqual(numbers(await readWhole(await openIn(t, copy, "disk"), "ses_a")), [1, 2]);
  assert.equal(textIn(copy), "");
});

test("whoever read while the database took no writes hears when there is more to read", async (t) => {
  const directory = await directoryOf(t);
  const log = await openIn(t, directory);
  await create(log, "ses_a");
  const held = await log.open("ses_a");
  const unlock = lock(t, directory);
  await tell(held, 1, piece("one"));
  assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1]);
  const [one, all] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  log.listen("ses_a", () => one.resolve());
  log.listenAll(() => all.resolve());
  unlock();
  await Promise.all([one.promise, all.promise]);
  assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2]);
});

test("a read that meets the locked database does not put off the next try for ever", async (t) => {
  const directory = await directoryOf(t);
  const log = await openIn(t, directory);
  await create(log, "ses_a");
  const held = await log.open("ses_a");
  const unlock = lock(t, directory);
  await tell(held, 1, piece("one"));
  const since = performance.now();
  while (performance.now() - since < 700) {
    await readWhole(log, "ses_a");
    await nextTurn();
  }
  unlock();
  const file = new DatabaseSync(path.join(directory, "parley.db"), { readOnly: true });
  t.after(() => file.close());
  const rows = file.prepare("SELECT count(*) AS rows FROM events");
  await eventually("the piece is in the database", () => Number(rows.get()?.rows) === 2);
});

test("a log whose directory was moved away leaves the file of the next server alone", async (t) => {
  const directory = await directoryOf(t);
  const log = await openSqliteLog({ directory, sync: "process", report: () => undefined });
  await create(log, "ses_a");
  await tell(await log.open("ses_a"), 1, piece("one"));
  const moved = `${directory}-moved`;
  t.after(() => rm(moved, { recursive: true, force: true }));
  renameSync(directory, moved);
  const next = await openIn(t, directory);
  await create(next, "ses_b");
  const held = await next.open("ses_b");
  const unlock = lock(t, directory);
  await tell(held, 1, piece("of the next"));
  await log.close();
  assert.match(textIn(directory), /of the next/);
  unlock();
});

test("a session that cannot be read keeps no log from opening", async (t) => {
  const directory = await directoryOf(t);
  const log = await openSqliteLog({ directory, sync: "process" });
  for (const id of ["ses_a", "ses_b"]) await create(log, id);
  await log.close();
  const file = createToldPieces(directory);
  const event = { ...drafts.delta("itm_a", "kept"), id: "ses_a:2", seq: 2, session: "ses_a" };
  file.keep(JSON.stringify(event), undefined);
  file.close();
  const database = new DatabaseSync(path.join(directory, "parley.db"));
  database.exec("UPDATE sessions SET state = '{' WHERE id = 'ses_a'");
  database.exec("UPDATE events SET json = '{}' WHERE seq = 1 AND sid = (SELECT sid FROM sessions WHERE id = 'ses_a')");
  database.close();
  const opened = await openIn(t, directory);
  assert.equal((await opened.head("ses_b"))?.last, 1);
  await assert.rejects(opened.head("ses_a"), { code: "log_damaged" });
});
