import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { followsOn } from "../../src/log/cursor.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { readWhole } from "./drafts.ts";
import { makeDirectory } from "./sqlite-place.ts";

const WRITER = path.join(import.meta.dirname, "fixtures", "append-forever.ts");
const ROUNDS = 5;

/** Runs the writer until it has said some numbers, kills it, and gives the last number it said. */
async function writeUntilKilled(directory: string, lines: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, directory, "ses_a"], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
    if (said.split("\n").length > lines) child.kill("SIGKILL");
  });
  const [code, signal] = await closed;
  assert.deepEqual([code, signal], [null, "SIGKILL"], "the writer died by itself");
  return Math.max(...said.split("\n").slice(0, -1).map(Number));
}

test("what was acknowledged is there after kill -9, without a hole", async () => {
  const directory = await makeDirectory();
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      const acknowledged = await writeUntilKilled(directory, round * 7);
      const log = await openSqliteLog({ directory, sync: "process" });
      const last = (await log.head("ses_a"))?.last ?? 0;
      assert.ok(last >= acknowledged, `${acknowledged} was acknowledged, ${last} is the last stored`);
      let cursor = 0;
      for (const record of await readWhole(log, "ses_a")) {
        assert.ok(followsOn(cursor, record), `${record.seq} (${record.folded} folded) after ${cursor}`);
        cursor = record.seq;
      }
      assert.equal(cursor, last);
      await log.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
