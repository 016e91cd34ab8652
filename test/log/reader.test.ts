import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { openLogReader } from "../../src/log/sqlite/reader/reader.ts";
import { drafts, entries, numbers } from "./drafts.ts";
import { makeDirectory } from "./sqlite-place.ts";
import { append, create } from "./writers.ts";

const READER = new URL("../../src/log/sqlite/reader/reader.ts", import.meta.url).href;

/** Enough for a session to move the write-ahead log into the file, several times. */
const ROUNDS = 200;
const LONG = "x".repeat(40_000);

async function directoryOf(t: TestContext): Promise<string> {
  const directory = await makeDirectory();
  t.after(() => {
    chmodSync(directory, 0o700);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

async function closedLog(directory: string): Promise<void> {
  const log = await openSqliteLog({ directory, sync: "process" });
  await create(log, "ses_a", drafts.updated("before"));
  await log.close();
}

const refuse = (thrown: unknown): never => {
  throw thrown;
};

describe("the reader of a log", () => {
  test("a writer that starts beside it is not kept off, and no read is torn or stale for ever", async (t) => {
    const directory = await directoryOf(t);
    await closedLog(directory);
    const reader = await openLogReader(directory, refuse);
    assert.ok(reader);
    const file = path.join(directory, "parley.db");
    const before = statSync(file).mtimeMs;
    const log = await openSqliteLog({ directory, sync: "process" });
    let seen = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await append(log, "ses_a", entries(drafts.delta("A", LONG)));
      const found = numbers(await reader.read("ses_a", { after: 0, limit: 1000 }));
      assert.deepEqual(
        found,
        found.map((_, at) => at + 1),
      );
      assert.ok(found.length >= seen, "what was seen stays");
      seen = found.length;
    }
    assert.notEqual(statSync(file).mtimeMs, before, "the write-ahead log was moved while the reader was open");
    assert.ok(seen > 2, "events of the writer were seen");
    await log.close();
    assert.equal((await reader.read("ses_a", { after: 0, limit: 1000 })).length, ROUNDS + 2);
    await reader.close();
  });

  test("reads a directory and files that it may not write to", async (t) => {
    const directory = await directoryOf(t);
    await closedLog(directory);
    for (const name of readdirSync(directory)) chmodSync(path.join(directory, name), 0o444);
    chmodSync(directory, 0o555);
    // Root may write everywhere, so that the reader becomes somebody else.
    const program = `
      import { openLogReader } from ${JSON.stringify(READER)};
      if (process.getuid?.() === 0) { process.setgid(65534); process.setuid(65534); }
      const reader = await openLogReader(${JSON.stringify(directory)}, (thrown) => { throw thrown; });
      console.log((await reader.list({ limit: 10 })).map(({ title }) => title).join());
      await reader.close();`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
    assert.equal(stdout, "before\n");
    assert.deepEqual(readdirSync(directory).sort(), ["log.made", "parley.db"]);
  });

  test("a log that was removed while it was read is an error, not an empty answer", async (t) => {
    const directory = await directoryOf(t);
    await closedLog(directory);
    const reader = await openLogReader(directory, refuse);
    rmSync(path.join(directory, "parley.db"));
    await assert.rejects(Promise.resolve(reader?.list({ limit: 10 })), { code: "unavailable" });
    assert.deepEqual(readdirSync(directory), ["log.made"]);
  });

  test("there is none where there is no log, and looking makes nothing", async (t) => {
    const directory = await directoryOf(t);
    assert.equal(await openLogReader(path.join(directory, "no"), refuse), undefined);
    assert.deepEqual(readdirSync(directory), []);
  });

  test("a path that reads like an address is a path", async (t) => {
    const directory = path.join(await directoryOf(t), "a b?mode=rwc&x#y%20z");
    const log = await openSqliteLog({ directory, sync: "process" });
    await create(log, "ses_a");
    await append(log, "ses_a", entries(drafts.updated("in the write-ahead log")));
    const reader = await openLogReader(directory, refuse);
    assert.equal((await reader?.list({ limit: 10 }))?.[0]?.title, "in the write-ahead log");
    await reader?.close();
    await log.close();
  });
});
