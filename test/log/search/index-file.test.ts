import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { readQuery } from "../../../src/core/search/query.ts";
import type { Log, LogReader } from "../../../src/log/contract.ts";
import { openSqliteLog } from "../../../src/log/sqlite/open.ts";
import { openLogReader } from "../../../src/log/sqlite/reader/reader.ts";
import { examineIndex } from "../../../src/log/sqlite/search/examine.ts";
import { discardIndex, indexFileIn } from "../../../src/log/sqlite/search/index-file.ts";
import { eventually } from "../../support/eventually.ts";
import { drafts, entries } from "../drafts.ts";
import { indexedTo, makeDirectory } from "../sqlite-place.ts";
import { append, create, prune, remove } from "../writers.ts";

async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await makeDirectory();
  try {
    await run(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function withLog(directory: string, run: (log: Log) => Promise<void>): Promise<unknown[]> {
  const reported: unknown[] = [];
  const log = await openSqliteLog({ directory, sync: "process", report: (thrown) => reported.push(thrown) });
  try {
    await run(log);
  } finally {
    await log.close();
  }
  return reported;
}

async function settled(log: Log, directory: string): Promise<void> {
  const position = await log.position();
  await eventually("the index to end where the log does", () => indexedTo(directory) >= position);
}

async function found(log: Pick<LogReader, "search">, words: string): Promise<string[]> {
  const { hits } = await log.search({ sought: readQuery(words), limit: 50 });
  return hits.map(({ session, seq }) => `${session}:${seq}`);
}

/** A directory whose log is indexed and closed. */
async function prepared(directory: string): Promise<void> {
  await withLog(directory, async (log) => {
    await create(log, "ses_a", drafts.completed("prt_1", "needle"), drafts.completed("prt_2", "thread"));
    await settled(log, directory);
  });
}

const SPOILS: Readonly<Record<string, (file: string) => void>> = {
  "is gone": (file) => rmSync(file),
  "is empty": (file) => writeFileSync(file, ""),
  "is no database": (file) => writeFileSync(file, "not a database at all ".repeat(1000)),
  "has damaged pages": (file) => {
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096);
    writeFileSync(file, bytes);
  },
  "is of another version": (file) => {
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 99");
    database.close();
  },
  "is of another log": (file) => {
    const database = new DatabaseSync(file);
    database.exec("UPDATE meta SET value = 'other' WHERE name = 'log'");
    database.close();
  },
};

describe("the index for searches", () => {
  for (const [what, spoil] of Object.entries(SPOILS)) {
    test(`is made anew where the file ${what}, and doctor says so`, async () => {
      await inDirectory(async (directory) => {
        await prepared(directory);
        assert.equal(examineIndex(directory)?.is, "sound");
        spoil(indexFileIn(directory));
        assert.notEqual(examineIndex(directory)?.is, "sound");
        const reader = await openLogReader(directory, (thrown) => assert.fail(String(thrown)));
        assert.ok(reader);
        assert.deepEqual(await found(reader, "needle"), ["ses_a:2"], "without a server");
        await reader.close();
        await withLog(directory, async (log) => {
          assert.ok(Array.isArray(await found(log, "needle")));
          await eventually("a new index", async () => {
            await append(log, "ses_a", entries(drafts.completed("prt_3", "more")));
            return indexedTo(directory) >= 3;
          });
          await settled(log, directory);
          assert.deepEqual(await found(log, "needle"), ["ses_a:2"]);
          assert.deepEqual(await found(log, "thread"), ["ses_a:3"]);
        });
        assert.equal(examineIndex(directory)?.is, "sound");
      });
    });
  }

  test("follows a log that lost its end, and one that was put back from a backup", async () => {
    await inDirectory(async (directory) => {
      await prepared(directory);
      const database = new DatabaseSync(path.join(directory, "parley.db"));
      database.exec("DELETE FROM events WHERE position > 2");
      database.close();
      await withLog(directory, async (log) => {
        await append(log, "ses_a", entries(drafts.completed("prt_9", "needle again")));
        await settled(log, directory);
        assert.deepEqual(await found(log, "needle"), ["ses_a:3", "ses_a:2"]);
        assert.deepEqual(await found(log, "thread"), []);
      });
      const backup = path.join(directory, "backup.db");
      copyFileSync(path.join(directory, "parley.db"), backup);
      await withLog(directory, (log) =>
        append(log, "ses_a", entries(drafts.completed("prt_4", "lost"))).then(() => {}),
      );
      copyFileSync(backup, path.join(directory, "parley.db"));
      await withLog(directory, async (log) => {
        await append(log, "ses_a", entries(drafts.completed("prt_5", "kept")));
        await settled(log, directory);
        assert.deepEqual(await found(log, "kept"), ["ses_a:4"]);
        assert.deepEqual(await found(log, "lost"), []);
      });
    });
  });

  test("forgets with the log: nothing of a deleted session and of pruned turns is left in it", async () => {
    await inDirectory(async (directory) => {
      await withLog(directory, async (log) => {
        await create(log, "ses_a", drafts.turnStarted("trn_1"), drafts.completed("prt_1", "needle"));
        await append(log, "ses_a", entries(drafts.turnEnded("trn_1"), drafts.turnStarted("trn_2")));
        await append(log, "ses_a", entries(drafts.completed("prt_2", "needle")));
        await create(log, "ses_b", drafts.completed("prt_3", "needle"), drafts.ended("deleted"));
        await settled(log, directory);
        const left = () => {
          const index = new DatabaseSync(indexFileIn(directory), { readOnly: true });
          const { entries: rows } = index.prepare("SELECT count(*) AS entries FROM entries").get() ?? {};
          const { words } = index.prepare("SELECT count(*) AS words FROM words WHERE words MATCH 'needle'").get() ?? {};
          index.close();
          return [rows, words];
        };
        assert.deepEqual(left(), [3, 3]);
        await prune(log, "ses_a", 5);
        await remove(log, "ses_b");
        assert.deepEqual(left(), [1, 1]);
      });
    });
  });

  test("of a long log is made in the background, and a search says so meanwhile", async () => {
    await inDirectory(async (directory) => {
      await withLog(directory, async (log) => {
        const texts = (from: number) =>
          Array.from({ length: 1_000 }, (_, n) =>
            drafts.completed(`prt_${from + n}`, from + n === 5 ? "needle" : "hay"),
          );
        await create(log, "ses_a", ...texts(0));
        for (let from = 1_000; from < 4_000; from += 1_000) await append(log, "ses_a", entries(...texts(from)));
      });
      discardIndex(directory);
      await withLog(directory, async (log) => {
        const first = await log.search({ sought: readQuery("needle"), limit: 5 });
        assert.deepEqual(first, { hits: [], next: null, indexing: { done: 0, of: 4_001 } });
        await settled(log, directory);
        const last = await log.search({ sought: readQuery("needle"), limit: 5 });
        assert.deepEqual([last.hits.map(({ seq }) => seq), last.next, last.indexing], [[7], null, undefined]);
      });
    });
  });

  test("is read without a server, and no byte of the directory changes", async () => {
    await inDirectory(async (directory) => {
      await prepared(directory);
      const bytes = () =>
        readdirSync(directory).map((name) => [name, readFileSync(path.join(directory, name)).toString("base64")]);
      const before = bytes();
      const reader = await openLogReader(directory, (thrown) => assert.fail(String(thrown)));
      assert.ok(reader);
      assert.deepEqual(await found(reader, "thread"), ["ses_a:3"]);
      await reader.close();
      assert.deepEqual(bytes(), before);
    });
  });
});

test("an index passes over deltas, and finds what is between them", async () => {
  await inDirectory(async (directory) => {
    await withLog(directory, async (log) => {
      await create(log, "ses_a");
      const said = async (word: string): Promise<void> => {
        await append(log, "ses_a", entries(...Array.from({ length: 3_000 }, () => drafts.delta("itm_a", "piece"))));
        await append(log, "ses_a", entries(drafts.completed(`itm_${word}`, word)));
        await append(log, "ses_a", entries(...Array.from({ length: 3_000 }, () => drafts.delta("itm_a", "piece"))));
      };
      await said("first");
      await settled(log, directory);
      await said("second");
      await settled(log, directory);
      await said("third");
      await settled(log, directory);
      assert.deepEqual(await found(log, "first"), ["ses_a:3002"]);
      assert.deepEqual(await found(log, "second"), ["ses_a:9003"]);
      assert.deepEqual(await found(log, "third"), ["ses_a:15004"]);
    });
  });
});
