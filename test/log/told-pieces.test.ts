import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import type { EventRecord } from "../../src/log/contract.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { openLogReader } from "../../src/log/sqlite/reader/reader.ts";
import { createToldPieces, readToldPieces } from "../../src/log/sqlite/told-pieces.ts";
import { eventually } from "../support/eventually.ts";
import { drafts, entries, numbers, readWhole } from "./drafts.ts";
import { directoryOf, fileIn, lock, openIn, piece, tell, textIn } from "./told-pieces.ts";
import { append, create } from "./writers.ts";

const WRITER = path.join(import.meta.dirname, "fixtures", "die-when-told.ts");

/** The numbers of a session as another process finds them in the database. */
function rowsIn(directory: string): number[] {
  const database = new DatabaseSync(path.join(directory, "parley.db"), { readOnly: true });
  try {
    return database
      .prepare("SELECT seq FROM events ORDER BY position")
      .all()
      .map(({ seq }) => Number(seq));
  } finally {
    database.close();
  }
}

/** A session whose pieces 2 and on are told by a process that dies within the call that tells the last. */
async function diedTelling(t: TestContext, count: number): Promise<string> {
  const directory = await directoryOf(t);
  const log = await openSqliteLog({ directory, sync: "process" });
  await create(log, "ses_a");
  await log.close();
  const { stdout, signal, stderr } = spawnSync(process.execPath, [WRITER, directory, "ses_a", String(count)], {
    encoding: "utf8",
  });
  assert.equal(signal, "SIGKILL", stderr);
  const told = stdout.trim().split("\n").map(Number);
  assert.equal(told.at(-1), count + 1);
  return directory;
}

test("pieces that a process told right before it died are stored by the next one, once", async (t) => {
  for (const count of [1, 3]) {
    const directory = await diedTelling(t, count);
    assert.ok(rowsIn(directory).length < count + 1, "the last one is not in the database yet");
    for (let open = 0; open < 2; open++) {
      const log = await openSqliteLog({ directory, sync: "process", keepNative: true });
      const found = await log.read("ses_a", { after: 0, limit: 10, native: true });
      assert.deepEqual(
        numbers(found),
        Array.from({ length: count + 1 }, (_, at) => at + 1),
      );
      assert.equal(found.at(-1)?.native, `{"line":${count + 1}}`);
      assert.match(found.at(-1)?.json ?? "", new RegExp(`piece ${count + 1} `));
      assert.equal((await log.head("ses_a"))?.last, count + 1);
      assert.equal(await log.position(), count + 1);
      await log.close();
    }
    assert.equal(textIn(directory), "", "a log that was closed leaves no text there");
  }
});

test("a reader beside no server shows them, too, and changes nothing", async (t) => {
  const directory = await diedTelling(t, 3);
  const reader = await openLogReader(directory, (thrown) => assert.fail(String(thrown)));
  assert.ok(reader);
  t.after(() => reader.close());
  const before = textIn(directory);
  assert.equal((await reader.head("ses_a"))?.last, 4);
  const found = await reader.read("ses_a", { after: 0, limit: 10 });
  assert.deepEqual(numbers(found), [1, 2, 3, 4]);
  assert.ok(found.every((record) => record.native === undefined));
  assert.deepEqual(numbers(await reader.read("ses_a", { after: 0, limit: 2 })), [1, 2]);
  assert.deepEqual(numbers(await reader.read("ses_a", { after: 3, limit: 2 })), [4]);
  assert.deepEqual(numbers(await reader.read("ses_a", { after: 4, limit: 2 })), []);
  assert.equal((await reader.read("ses_a", { after: 3, limit: 1, native: true }))[0]?.native, '{"line":4}');
  assert.equal(textIn(directory), before);
});

test("the next process goes on behind them, and a turn's end follows them", async (t) => {
  const directory = await diedTelling(t, 2);
  const log = await openIn(t, directory);
  assert.deepEqual(numbers(await append(log, "ses_a", entries(drafts.completed("itm_a", "all")))), [4]);
  assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2, 3, 4]);
});

test("a torn end of the file is left out, and so is what follows on no event", async (t) => {
  const directory = await diedTelling(t, 1);
  const whole = textIn(directory);
  const left = readToldPieces(directory);
  assert.deepEqual(
    left.map(({ event }) => event.seq),
    [2],
  );
  truncateSync(fileIn(directory), whole.length - 5);
  assert.deepEqual(readToldPieces(directory), []);
  writeFileSync(fileIn(directory), whole.replace("piece 2", "piece 3"));
  assert.deepEqual(readToldPieces(directory), [], "its sum does not fit");
  writeFileSync(fileIn(directory), `nothing\n${whole}`);
  assert.deepEqual(readToldPieces(directory), []);

  const file = createToldPieces(directory);
  const event = { ...left[0]?.event, seq: 7 };
  file.clear();
  file.keep(JSON.stringify(event), undefined);
  file.keep(JSON.stringify({ ...event, seq: 2, session: "ses_gone" }), undefined);
  file.keep(JSON.stringify({ ...event, seq: 1 }), undefined);
  file.close();
  assert.equal(readToldPieces(directory).length, 3);
  const log = await openIn(t, directory);
  assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1]);
  assert.equal(await log.position(), 1);
});

test("any text of a piece and of its line comes back as it was", async (t) => {
  const directory = await directoryOf(t);
  const file = createToldPieces(directory);
  const texts = ["", "\n", "1 2 3\n", "ä€😀\u2028\u0000", "x".repeat(20_000), '"\\'];
  for (const [at, delta] of texts.entries()) {
    const json = JSON.stringify({ type: "item.delta", seq: at, data: { delta } });
    assert.equal(file.keep(json, delta), true);
  }
  assert.equal(file.keep(JSON.stringify({ type: "item.delta", seq: 9, data: { delta: "no line" } }), undefined), true);
  file.close();
  const found = readToldPieces(directory);
  assert.deepEqual(
    found.map(({ event }) => event.data.delta),
    [...texts, "no line"],
  );
  assert.deepEqual(
    found.map(({ native }) => native),
    [...texts, undefined],
  );
  assert.equal(statSync(fileIn(directory)).mode & 0o777, 0o600);
});

test("the file does not grow: what does not fit is stored before it is told", async (t) => {
  const directory = await directoryOf(t);
  const log = await openIn(t, directory);
  await create(log, "ses_a");
  const held = await log.open("ses_a");
  for (let last = 1; last <= 6; last++) await tell(held, last, piece("x".repeat(100_000), "y".repeat(50_000)));
  assert.ok(statSync(fileIn(directory)).size < 512 * 1024);
  assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2, 3, 4, 5, 6, 7]);
});

test("pieces are in the database some milliseconds later, though nobody reads or writes", async (t) => {
  const directory = await directoryOf(t);
  const log = await openIn(t, directory);
  await create(log, "ses_a");
  const held = await log.open("ses_a");
  await tell(held, 1, piece("one"));
  await eventually("the piece is in the database", () => rowsIn(directory).length === 2);
  await tell(held, 2, piece("two"));
  await eventually("the piece is in the database", () => rowsIn(directory).length === 3);
  assert.deepEqual(rowsIn(directory), [1, 2, 3]);
});

test("a listener that reads finds the piece that it hears of", async (t) => {
  const log = await openIn(t, await directoryOf(t));
  await create(log, "ses_a");
  const held = await log.open("ses_a");
  let found: Promise<EventRecord[]> | undefined;
  log.listen("ses_a", () => {
    found ??= log.read("ses_a", { after: 1, limit: 5 });
  });
  await tell(held, 1, piece("one"));
  assert.deepEqual(numbers((await found) ?? []), [2]);
});

test("pieces that a locked database does not take are kept in order, before all that follows", async (t) => {
  const directory = await directoryOf(t);
  const log = await openIn(t, directory);
  for (const id of ["ses_a", "ses_b"]) await create(log, id);
  const [a, b] = [await log.open("ses_a"), await log.open("ses_b")];
  const unlock = lock(t, directory);
  await tell(a, 1, piece("one"));
  await tell(b, 1, piece("two"));
  // The database was tried in vain, so that others wait for it, too.
  assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1]);
  assert.equal(a.appendPiece?.(2, piece("three")), false);
  await assert.rejects(a.append(2, [piece("three")]), { code: "unavailable" });
  assert.equal((await log.head("ses_a"))?.last, 2);
  unlock();
  assert.deepEqual(numbers(await a.append(2, [piece("three")])), [3]);
  assert.deepEqual(
    (await log.readAll({ after: 2, limit: 10 })).map(({ session, seq }) => [session, seq]),
    [
      ["ses_a", 2],
      ["ses_b", 2],
      ["ses_a", 3],
    ],
  );
});

test("pieces that the database did not take are stored when it takes writes again, though nothing follows", async (t) => {
  const directory = await directoryOf(t);
  const log = await openIn(t, directory);
  await create(log, "ses_a");
  const held = await log.open("ses_a");
  const unlock = lock(t, directory);
  await tell(held, 1, piece("one"));
  assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1]);
  unlock();
  await eventually("the piece is in the database", () => rowsIn(directory).length === 2);
  await tell(held, 2, piece("two"));
  assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2, 3]);
});

test("a log that is closed while its database takes no writes keeps them for the next", async (t) => {
  const directory = await directoryOf(t);
  const log = await openSqliteLog({ directory, sync: "process" });
  await create(log, "ses_a");
  const held = await log.open("ses_a");
  const unlock = lock(t, directory);
  await tell(held, 1, piece("one"));
  await log.close();
  unlock();
  assert.deepEqual(numbers(await readWhole(await openIn(t, directory), "ses_a")), [1, 2]);
});

test("no text of a session that was removed is left in the file", async (t) => {
  const directory = await directoryOf(t);
  const log = await openIn(t, directory);
  await create(log, "ses_a");
  await tell(await log.open("ses_a"), 1, piece("a secret"));
  assert.match(textIn(directory), /a secret/);
  const again = await log.open("ses_a");
  await again.append(2, entries(drafts.ended("deleted")));
  await again.remove();
  assert.doesNotMatch(textIn(directory), /a secret/);
});

test("with every write on the disk, no piece is told before the database has it", async (t) => {
  const directory = await directoryOf(t);
  const log = await openIn(t, directory, "disk");
  await create(log, "ses_a");
  const held = await log.open("ses_a");
  let rows: number[] = [];
  log.listen("ses_a", () => {
    rows = rowsIn(directory);
  });
  await tell(held, 1, piece("one"));
  assert.deepEqual(rows, [1, 2]);
  assert.equal(existsSync(fileIn(directory)), false);
});
