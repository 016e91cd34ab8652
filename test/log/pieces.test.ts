import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Entry, Log } from "../../src/log/contract.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { drafts } from "./drafts.ts";
import { withLog } from "./place.ts";
import { makeDirectory, sqlitePlace } from "./sqlite-place.ts";
import { create } from "./writers.ts";

/** The log has stored nothing for some milliseconds: a piece is stored at once then. */
const QUIET_MS = 5;

async function quiet(): Promise<void> {
  const since = performance.now();
  while (performance.now() - since < QUIET_MS) await nextTurn();
}

async function quietly(use: (log: Log) => Promise<void>): Promise<void> {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    await quiet();
    await use(log);
  });
}

const piece = (text: string): Entry => ({ draft: drafts.delta("itm_a", text) });

test("a piece is stored and told within the call", () =>
  quietly(async (log) => {
    const told: number[] = [];
    const stop = log.listen("ses_a", (records) => told.push(...records.map(({ seq }) => seq)));
    const held = await log.open("ses_a");
    assert.equal(held.appendPiece?.(1, piece("one")), true);
    assert.deepEqual(told, [2]);
    assert.deepEqual(
      (await log.read("ses_a", { after: 1, limit: 5 })).map(({ seq }) => seq),
      [2],
    );
    assert.equal((await log.head("ses_a"))?.last, 2);
    stop();
  }));

test("a piece behind another, or behind an append that waits, is not stored within the call", () =>
  quietly(async (log) => {
    const held = await log.open("ses_a");
    const waiting = held.append(1, [piece("one")]);
    assert.equal(held.appendPiece?.(2, piece("two")), false);
    await waiting;
    assert.equal(held.appendPiece?.(2, piece("two")), false);
    assert.equal((await log.head("ses_a"))?.last, 2);
  }));

test("what is no piece, a number that does not follow, a lost right and a closed log are left to append", () =>
  quietly(async (log) => {
    const held = await log.open("ses_a");
    const refused = (after: number, entry: Entry, by = held): void =>
      assert.equal(by.appendPiece?.(after, entry), false);
    refused(1, { draft: drafts.updated("title") });
    refused(1, piece("x".repeat(512 * 1024)));
    refused(0, piece("a repeat"));
    refused(7, piece("a hole"));
    const newer = await log.open("ses_a");
    refused(1, piece("of a lost right"));
    await newer.release();
    refused(1, piece("of a right that was given back"), newer);
    const last = await log.open("ses_a");
    await log.close();
    refused(1, piece("of a closed log"), last);
  }));

test("a listener that appends has its event told after the piece that it heard of", () =>
  quietly(async (log) => {
    const held = await log.open("ses_a");
    const told: number[][] = [];
    let appended: Promise<unknown> | undefined;
    log.listenAll((records) => {
      appended ??= held.append(2, [piece("more")]);
      told.push(records.map(({ seq }) => seq));
    });
    assert.equal(held.appendPiece?.(1, piece("piece")), true);
    await appended;
    assert.deepEqual(told, [[2], [3]]);
  }));

test("where pieces are stored first, one that a locked database held up counts as a commit: the next one is not tried at once", async () => {
  const directory = await makeDirectory();
  const log = await openSqliteLog({ directory, sync: "disk" });
  const other = new DatabaseSync(path.join(directory, "parley.db"));
  try {
    await create(log, "ses_a");
    await create(log, "ses_b");
    const [a, b] = [await log.open("ses_a"), await log.open("ses_b")];
    await quiet();
    other.exec("BEGIN IMMEDIATE");
    assert.equal(a.appendPiece?.(1, piece("locked")), false);
    other.exec("ROLLBACK");
    assert.equal(b.appendPiece?.(1, piece("too early")), false);
    await quiet();
    assert.equal(b.appendPiece?.(1, piece("quiet again")), true);
  } finally {
    other.close();
    await log.close();
    await rm(directory, { recursive: true, force: true });
  }
});
