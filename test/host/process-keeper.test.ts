import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { numbersOf } from "../../src/host/family.ts";
import { isOfInstance } from "../../src/host/marks/limit-mark.ts";
import { onLinux, processInfo } from "../../src/host/process-identity.ts";
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

test("a program that is started in a hurry runs at once, and has its number soon", {
  skip: !onLinux && "needs /proc",
}, async (t) => {
  const runDirectory = join(await tempDirectory(t), "run");
  const argv = ["sleep", "1000"] as const;
  const { watcher } = createKeeper({ runDirectory, instance: "test" })({ argv, session: "ses_1", hurried: true });
  const [program, ...args] = watcher.launch({ argv, directory: runDirectory, searchPath: process.env.PATH });
  const { pid = 0 } = spawn(program, args, { detached: true, stdio: "ignore" });
  t.after(() => watcher.end(0));
  watcher.onStart(pid);
  if (program !== "sleep") return t.skip("no program here gives a number to another");
  await eventually("it has its number", () => numbersOf(pid).some((number) => isOfInstance(number, "test")));
});
