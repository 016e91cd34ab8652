import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { onLinux, processInfo, startTime } from "../../src/host/process-identity.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { listStrays, reap } from "../../src/host/reaper.ts";
import { assertWithin } from "../support/time.ts";
import { alive, type Identity, identify, tempDirectory } from "./support.ts";

interface Crashing {
  server: ChildProcess;
  /** The programs and all that they started. */
  started: Identity[];
  options: { runDirectory: string; instance: string };
}

async function startServer(t: TestContext): Promise<Crashing> {
  const directory = await tempDirectory(t);
  const options = { runDirectory: join(directory, "run"), instance: `test${process.pid}` };
  const file = fileURLToPath(new URL("./crash-server.ts", import.meta.url));
  const server = spawn(process.execPath, [file, options.runDirectory, directory, options.instance], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => server.kill("SIGKILL"));
  t.after(() => reap({ ...options, graceMs: 0 }));
  const [chunk] = await once(server.stdout, "data");
  const pids: number[] = JSON.parse(String(chunk));
  const started = pids.filter((pid) => startTime(pid) !== undefined).map(identify);
  assert.ok(started.length >= 8, "the programs and their descendants run");
  return { server, started, options };
}

async function crash(server: ChildProcess): Promise<void> {
  const exited = once(server, "exit");
  server.kill("SIGKILL");
  await exited;
}

test("after kill -9 of the server the next boot's reaper leaves no survivor", {
  skip: !onLinux && "needs /proc",
}, async (t) => {
  const { server, started, options } = await startServer(t);
  await crash(server);
  const survivors = started.filter(alive);
  assert.ok(survivors.length >= 8, "nothing would be tested if they died by themselves");
  const listed = new Set(listStrays(options).map((stray) => stray.pid));
  for (const one of survivors) assert.ok(listed.has(one.pid), `stray ${one.pid} is not listed`);

  const begun = performance.now();
  const report = await reap({ ...options, graceMs: 300 });
  assertWithin(performance.now() - begun, 5000, "the reaper's work");
  assert.deepEqual(started.filter(alive), []);
  assert.deepEqual(report.left, []);
  assert.deepEqual(report.ended.map((stray) => stray.pid).sort(), survivors.map((one) => one.pid).sort());
  assert.deepEqual(new Set(report.ended.map((stray) => stray.session)), new Set(["ses_0", "ses_1", "ses_2", "ses_3"]));
  assert.equal(report.cleared, 4);
  assert.deepEqual(readdirSync(options.runDirectory), []);
  assert.deepEqual(listStrays(options), []);
  assert.deepEqual(await reap(options), { ended: [], left: [], cleared: 0 });
});

test("while the server runs, only processes that have escaped from it are strays", {
  skip: !onLinux && "needs /proc",
}, async (t) => {
  const { server, started, options } = await startServer(t);
  const strays = listStrays({ ...options, owner: server.pid });
  const escaped = started.filter(
    (one) => processInfo(one.pid)?.parent === 1 && processInfo(one.pid)?.group === one.pid,
  );
  assert.deepEqual(strays.map((stray) => stray.pid).sort(), escaped.map((one) => one.pid).sort());
  assert.ok(listStrays(options).length >= started.length - 1);
});

test("a reused pid, another instance's programs and this very process are left alone", async (t) => {
  const directory = await tempDirectory(t);
  const runDirectory = join(directory, "run");
  const start = (mark: string) =>
    spawn(process.execPath, ["-e", "console.log(1); process.stdin.resume()"], {
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
      env: { ...process.env, PARLEY_MARK: mark },
    });
  const reused = start("elsewhere:ses_1:1");
  const foreign = start("mine2:ses_1:1");
  t.after(() => {
    reused.kill("SIGKILL");
    foreign.kill("SIGKILL");
  });
  await Promise.all([once(reused.stdout, "data"), once(foreign.stdout, "data")]);
  const table = createProcessTable(runDirectory);
  const entry = { session: "ses_1", argv: ["agent"], time: 0 };
  table.add({ ...entry, pid: reused.pid ?? 0, start: "an earlier process" });
  table.add({ ...entry, pid: process.pid, start: startTime(process.pid) ?? "" });
  const report = await reap({ runDirectory, instance: "mine", graceMs: 0 });
  assert.equal(report.cleared, 2);
  assert.equal(
    report.ended.some((stray) => stray.pid === reused.pid || stray.pid === foreign.pid),
    false,
  );
  assert.equal(alive(identify(reused.pid ?? 0)), true);
  assert.equal(alive(identify(foreign.pid ?? 0)), true);
});
