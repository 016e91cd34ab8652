import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { salvage } from "../../src/log/sqlite/salvage/salvage.ts";
import { drafts, entries } from "./drafts.ts";
import { makeDirectory } from "./sqlite-place.ts";
import { append, create, remove } from "./writers.ts";

test("a repair keeps what was spent, also by sessions that are gone, and counts nothing twice", async () => {
  const home = await makeDirectory();
  const [from, to] = [path.join(home, "from"), path.join(home, "to")];
  mkdirSync(to);
  const open = (directory: string) => openSqliteLog({ directory, sync: "process", report: () => undefined });
  const before = await open(from);
  const turn = [drafts.turnStarted("trn_1"), drafts.turnEnded("trn_1")];
  await create(before, "ses_kept", ...turn);
  await create(before, "ses_gone", ...turn);
  await append(before, "ses_gone", entries(drafts.ended("deleted")));
  await remove(before, "ses_gone");
  const spent = await before.spent({ after: 0, limit: 9 });
  assert.deepEqual(
    spent.map(({ session }) => session),
    ["ses_kept", "ses_gone"],
  );
  await before.close();
  salvage(path.join(from, "parley.db"), to, 1_000);
  const log = await open(to);
  const byNumber = (one: { session: string }, other: { session: string }): number =>
    one.session < other.session ? 1 : -1;
  const saved = await log.spent({ after: 0, limit: 9 });
  assert.deepEqual(
    saved.map(({ number: _, ...rest }) => rest).sort(byNumber),
    spent.map(({ number: _, ...rest }) => rest).sort(byNumber),
  );
  await log.close();
  await rm(home, { recursive: true });
});
