import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { acquireLock, type LockOwner, readLock } from "../../src/host/data-lock.ts";
import { startTime } from "../../src/host/process-identity.ts";
import { makeDirectory } from "../log/sqlite-place.ts";

const HOLDER = path.join(import.meta.dirname, "fixtures", "hold-lock.ts");

interface Holder {
  child: ChildProcess;
  /** Lets it try, and gives what it got. */
  go(): Promise<{ ok: boolean; owner?: LockOwner }>;
  kill(): Promise<void>;
}

function startHolder(directory: string): Holder {
  const child = spawn(process.execPath, [HOLDER, directory], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, "exit");
  return {
    child,
    async go() {
      child.stdin.write("go\n");
      const [line] = (await once(lines, "line")) as [string];
      return JSON.parse(line);
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await makeDirectory();
  try {
    await run(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function acquired(directory: string) {
  const lock = await acquireLock(directory);
  assert.ok(lock.ok, "expected to get the lock");
  return lock;
}

test("one holds it, a second learns who, and a third gets it after the release", async () => {
  await inDirectory(async (parent) => {
    const directory = path.join(parent, "made", "for-it");
    assert.equal(readLock(directory), undefined);
    const lock = await acquired(directory);
    const me = { pid: process.pid, started: startTime(process.pid) };
    assert.deepEqual(await acquireLock(directory), { ok: false, owner: me });
    lock.publish({ url: "http://127.0.0.1:1234" });
    assert.deepEqual(readLock(directory), { ...me, url: "http://127.0.0.1:1234" });
    lock.release();
    lock.release();
    assert.equal(readLock(directory), undefined);
    (await acquired(directory)).release();
  });
});

test("the directory and its files are for their owner only", async () => {
  await inDirectory(async (parent) => {
    const directory = path.join(parent, "data");
    const lock = await acquired(directory);
    const modes = await Promise.all(
      ["", "lock.db", "owner.json"].map(async (name) => (await stat(path.join(directory, name))).mode & 0o777),
    );
    assert.deepEqual(modes, [0o700, 0o600, 0o600]);
    lock.release();
    await chmod(directory, 0o755);
    (await acquired(directory)).release();
    assert.equal((await stat(directory)).mode & 0o777, 0o755, "a directory that was there keeps its mode");
  });
});

test("a data directory that cannot be locked is refused with the reason", async () => {
  await inDirectory(async (directory) => {
    const file = path.join(directory, "file");
    await writeFile(file, "");
    await assert.rejects(acquireLock(file), { name: "ParleyError", code: "unavailable" });
  });
});

test("a lock dies with its process, even by kill -9", async () => {
  await inDirectory(async (directory) => {
    const holder = startHolder(directory);
    try {
      assert.equal((await holder.go()).ok, true);
      assert.equal(readLock(directory)?.pid, holder.child.pid);
      const refused = await acquireLock(directory);
      assert.ok(!refused.ok);
      assert.equal(refused.owner.pid, holder.child.pid);
    } finally {
      await holder.kill();
    }
    assert.equal(readLock(directory), undefined, "owner.json is still there, but its process is not");
    (await acquired(directory)).release();
  });
});

test("a pid that now belongs to another process is not the owner", async () => {
  await inDirectory(async (directory) => {
    const files = [{ pid: process.pid, started: "1" }, { pid: "1", started: "1" }, null];
    for (const content of files) {
      await writeFile(path.join(directory, "owner.json"), JSON.stringify(content));
      assert.equal(readLock(directory), undefined);
    }
    await writeFile(path.join(directory, "owner.json"), '{"pid":');
    assert.equal(readLock(directory), undefined);
    (await acquired(directory)).release();
  });
});

test("of many processes that race for a free lock, one wins", async () => {
  await inDirectory(async (directory) => {
    await writeFile(path.join(directory, "owner.json"), JSON.stringify({ pid: 999_999_999, started: "1" }));
    const holders = Array.from({ length: 6 }, () => startHolder(directory));
    try {
      const results = await Promise.all(holders.map((holder) => holder.go()));
      const winners = holders.filter((_, n) => results[n]?.ok);
      assert.equal(winners.length, 1);
      for (const result of results) if (!result.ok) assert.equal(result.owner?.pid, winners[0]?.child.pid);
    } finally {
      await Promise.all(holders.map((holder) => holder.kill()));
    }
  });
});
