import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after as afterAll, before, describe, test } from "node:test";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { drafts, entries, numbers, readWhole } from "./drafts.ts";
import { makeDirectory } from "./sqlite-place.ts";
import { append, create } from "./writers.ts";

const TAIL_BYTES = 4096;
const STEP = 64;
const COMMITS = 20;

describe("a torn tail", () => {
  let directory = "";
  let wal = Buffer.alloc(0);

  /** A copy of the files as they lay on disk, with another end, opened. */
  async function storedWith(tail: Buffer): Promise<number[]> {
    const copy = path.join(directory, "copy");
    await rm(copy, { recursive: true, force: true });
    await mkdir(copy);
    await copyFile(path.join(directory, "saved.db"), path.join(copy, "parley.db"));
    await writeFile(path.join(copy, "parley.db-wal"), tail);
    const log = await openSqliteLog({ directory: copy, sync: "process" });
    const stored = numbers(await readWhole(log, "ses_a"));
    assert.equal((await log.head("ses_a"))?.last, stored.length);
    assert.deepEqual(numbers(await append(log, "ses_a", entries(drafts.updated("on")))), [stored.length + 1]);
    await log.close();
    return stored;
  }

  before(async () => {
    directory = await makeDirectory();
    const log = await openSqliteLog({ directory, sync: "process" });
    await create(log, "ses_a");
    for (let n = 2; n <= COMMITS; n++) await append(log, "ses_a", entries(drafts.updated(`title ${n}`)));
    await copyFile(path.join(directory, "parley.db"), path.join(directory, "saved.db"));
    wal = await readFile(path.join(directory, "parley.db-wal"));
    await log.close();
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  const all = Array.from({ length: COMMITS }, (_, n) => n + 1);

  test("an untouched copy has all", async () => {
    assert.deepEqual(await storedWith(wal), all);
  });

  test(`cut at ${TAIL_BYTES / STEP} places, it opens and loses only the torn commit`, async () => {
    for (let cut = 1; cut <= TAIL_BYTES; cut += STEP) {
      assert.deepEqual(await storedWith(wal.subarray(0, wal.length - cut)), all.slice(0, -1), `cut by ${cut} bytes`);
    }
  });

  test("with spoiled bytes, it opens and loses only the spoiled commit", async () => {
    for (let back = 1; back <= TAIL_BYTES; back += STEP * 4) {
      const spoiled = Buffer.from(wal);
      spoiled.writeUInt8(spoiled.readUInt8(spoiled.length - back) ^ 0xff, spoiled.length - back);
      assert.deepEqual(await storedWith(spoiled), all.slice(0, -1), `spoiled ${back} bytes before the end`);
    }
  });
});
