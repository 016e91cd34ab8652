import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { processInfo } from "../../src/host/process-identity.ts";
import { createKeeper } from "../../src/host/process-keeper.ts";
import { eventually } from "../support/eventually.ts";
import { alive, identify, tempDirectory } from "./support.ts";

test("processes that a program leaves behind end with it, also when it was over before anybody looked", async (t) => {
  const runDirectory = join(await tempDirectory(t), "run");
  const argv = ["sh", "-c", "sleep 1000 >/dev/null & echo $!"] as const;
  const program = spawn(argv[0], argv.slice(1), { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const [said] = await Promise.all([text(program.stdout), once(program, "close")]);
  const { pid = 0 } = program;
  assert.equal(processInfo(pid), undefined, "the program is gone");
  const left = identify(Number(said));
  t.after(() => alive(left) && process.kill(Number(said), "SIGKILL"));
  assert.ok(alive(left));
  const { watcher } = createKeeper({ runDirectory, instance: "test" })({ argv, session: "ses_1" });
  watcher.onStart(pid);
  assert.equal(readdirSync(runDirectory).length, 1);
  watcher.onExit();
  await eventually("what it left is gone", () => !alive(left));
  await eventually("the table of processes is empty", () => readdirSync(runDirectory).length === 0);
});
