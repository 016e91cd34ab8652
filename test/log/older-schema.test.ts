import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Draft } from "../../src/core/events/event.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { drafts, entries, numbers } from "./drafts.ts";
import { WITHOUT_RECENT } from "./older-schema.ts";
import { makeDirectory } from "./sqlite-place.ts";
import { append, create, remove } from "./writers.ts";

const changed = (time: number): Draft => ({ ...drafts.updated("t"), time }) as Draft;

test("a directory of the schema before lists its sessions by their last change, and finds what they told", async () => {
  const directory = await makeDirectory();
  const open = () => openSqliteLog({ directory, sync: "process", report: () => undefined });
  const before = await open();
  for (const [id, time] of [
    ["ses_a", 20],
    ["ses_b", 30],
    ["ses_c", 10],
    ["ses_d", 5],
  ] as const)
    await create(before, id, changed(time), drafts.delta("prt_1", "x"));
  await append(before, "ses_d", entries(drafts.ended("deleted")));
  await remove(before, "ses_d");
  await before.close();
  const database = new DatabaseSync(path.join(directory, "parley.db"));
  database.exec(WITHOUT_RECENT);
  // A state that was damaged is made anew from the events.
  database.exec("UPDATE sessions SET state = 'x' || state WHERE id = 'ses_b'");
  database.close();
  for (let start = 1; start <= 2; start++) {
    const log = await open();
    const ids = async () => (await log.recent({ limit: 9 })).map(({ id }) => id);
    if (start === 1) assert.deepEqual(await ids(), ["ses_a", "ses_c", "ses_b"], "the damaged one comes last");
    if (start === 1) await append(log, "ses_b", entries(changed(40)));
    assert.deepEqual(await ids(), ["ses_b", "ses_a", "ses_c"]);
    const told = async (session: string) => numbers(await log.told(session, { after: 0, before: 99 }));
    assert.deepEqual([await told("ses_a"), await told("ses_b")], [[2], [2, 4]], "from before and from after");
    assert.deepEqual(await told("ses_d"), []);
    await log.close();
  }
  await rm(directory, { recursive: true });
});
