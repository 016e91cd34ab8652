import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Draft } from "../../src/core/events/event.ts";
import type { Log } from "../../src/log/contract.ts";
import { openLogReader } from "../../src/log/data-log-reader.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { drafts, entries } from "./drafts.ts";
import { WITHOUT_RECENT } from "./older-schema.ts";
import { writeOlder } from "./older-turns.ts";
import { makeDirectory } from "./sqlite-place.ts";
import { append, create, remove } from "./writers.ts";

const open = (directory: string): Promise<Log> =>
  openSqliteLog({ directory, sync: "process", report: () => undefined });

/** Takes a log back to the schema before spending was kept. */
function forgetSpent(directory: string): void {
  const database = new DatabaseSync(path.join(directory, "parley.db"));
  database.exec(
    `${WITHOUT_RECENT}; DROP TABLE spent; DELETE FROM meta WHERE name = 'uncounted'; PRAGMA user_version = 2`,
  );
  database.close();
}

const turns = async (log: Pick<Log, "spent">): Promise<string[]> =>
  (await log.spent({ after: 0, limit: 99 })).map(({ session, seq, model }) => `${session}:${seq} ${model}`).sort();

test("turns of an older Parley are counted once: not copies, imports and replays", async () => {
  const directory = await makeDirectory();
  const before = await open(directory);
  const expected = await writeOlder(before);
  await before.close();
  forgetSpent(directory);
  for (let start = 1; start <= 2; start++) {
    const log = await open(directory);
    assert.deepEqual(await turns(log), expected);
    await log.close();
  }
  await rm(directory, { recursive: true });
});

test("a session that is deleted right after the upgrade was counted before", async () => {
  const directory = await makeDirectory();
  const before = await open(directory);
  await create(before, "ses_a", drafts.turnStarted("trn_1"), drafts.turnEnded("trn_1"));
  for (let n = 0; n < 30; n++)
    await append(
      before,
      "ses_a",
      Array.from({ length: 200 }, () => entries(drafts.updated("t"))[0] as { draft: Draft }),
    );
  await before.close();
  forgetSpent(directory);
  const log = await open(directory);
  await append(log, "ses_a", entries(drafts.ended("deleted")));
  await remove(log, "ses_a");
  assert.deepEqual(await turns(log), ["ses_a:3 undefined"]);
  await log.close();
  await rm(directory, { recursive: true });
});

test("a reader that may write nothing says that a server must count first", async () => {
  const directory = await makeDirectory();
  const log = await open(directory);
  await create(log, "ses_a", drafts.turnStarted("trn_1"), drafts.turnEnded("trn_1"));
  await log.close();
  const reader = await openLogReader(directory, () => undefined);
  assert.deepEqual(reader && (await turns(reader)), ["ses_a:3 undefined"]);
  await reader?.close();
  const database = new DatabaseSync(path.join(directory, "parley.db"));
  database.exec("UPDATE meta SET value = 3 WHERE name = 'uncounted'");
  database.close();
  const later = await openLogReader(directory, () => undefined);
  await assert.rejects(async () => later && turns(later), { code: "unavailable", message: /start `parley serve`/ });
  await later?.close();
  await rm(directory, { recursive: true });
});
