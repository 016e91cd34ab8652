import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createProcessTable } from "../../src/host/process-table.ts";
import { tempDirectory } from "./support.ts";

const entry = (pid: number) => ({ pid, start: `s${pid}`, session: "ses_1", argv: ["agent", "--flag"], time: 5 });

test("entries are there until they are removed, for any reader", async (t) => {
  const directory = join(await tempDirectory(t), "run");
  const table = createProcessTable(directory);
  assert.deepEqual(table.list(), []);
  table.add(entry(1));
  table.add(entry(2));
  assert.deepEqual(
    createProcessTable(directory)
      .list()
      .sort((a, b) => a.pid - b.pid),
    [entry(1), entry(2)],
  );
  table.remove(1);
  table.remove(1);
  assert.deepEqual(table.list(), [entry(2)]);
  assert.equal(table.clear(), 1);
  assert.deepEqual(table.list(), []);
});

test("entries that a crash tore are skipped and cleared, other files are left alone", async (t) => {
  const directory = await tempDirectory(t);
  const table = createProcessTable(directory);
  table.add(entry(1));
  writeFileSync(join(directory, "7.json"), '{"pid":7,"sta');
  writeFileSync(join(directory, "8.json"), '{"pid":"8"}');
  writeFileSync(join(directory, "server.lock"), "not ours");
  assert.deepEqual(table.list(), [entry(1)]);
  assert.equal(table.clear(), 3);
  assert.ok(statSync(join(directory, "server.lock")).isFile());
});

test("only the owner may read an entry", async (t) => {
  const directory = await tempDirectory(t);
  createProcessTable(directory).add(entry(1));
  assert.equal(statSync(join(directory, "1.json")).mode & 0o777, 0o600);
});
