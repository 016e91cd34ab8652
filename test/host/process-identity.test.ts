import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { isRunning, onLinux, parsePs, parseStat, processInfo, startTime } from "../../src/host/process-identity.ts";
import { markOf, variableOf } from "../../src/host/process-scan.ts";

const REST = "S 10 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 2 3";

for (const name of ["node", "a b", "evil) R 1 1 1", "((", ""]) {
  test(`reads a stat line of a command named ${JSON.stringify(name)}`, () => {
    assert.deepEqual(parseStat(`42 (${name}) ${REST}`, "boot"), {
      pid: 42,
      parent: 10,
      group: 42,
      start: "boot:98765",
      born: 98765,
      zombie: false,
    });
  });
}

test("a thread of the kernel's is no process", () => {
  const text = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 41 0 0 20 0 1 0 7 0 0 18446744073709551615";
  assert.equal(parseStat(text, "boot"), undefined);
});

test("a stat line that is none gives nothing", () => {
  assert.equal(parseStat("", "boot"), undefined);
  assert.equal(parseStat("42 (node) S 1", "boot"), undefined);
});

test("reads a line of ps", () => {
  assert.deepEqual(parsePs("  42    10    42 Z    Mon Jan  5 10:11:12 2026"), {
    pid: 42,
    parent: 10,
    group: 42,
    start: "Mon Jan 5 10:11:12 2026",
    born: Date.parse("Mon Jan 5 10:11:12 2026"),
    zombie: true,
  });
  assert.equal(parsePs(""), undefined);
});

test("finds a variable at the start, in the middle and not inside another name", () => {
  assert.equal(variableOf("MARK=a\0B=c\0", "MARK"), "a");
  assert.equal(variableOf("B=c\0MARK=a", "MARK"), "a");
  assert.equal(variableOf("MY_MARK=a\0B=MARK=d\0", "MARK"), undefined);
  assert.equal(variableOf("", "MARK"), undefined);
});

test("knows a process while it runs, and not another with its pid", async () => {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...process.env, PARLEY_MARK: "i:s:1" },
  });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const start = startTime(pid) ?? "";
  assert.equal(processInfo(pid)?.parent, process.pid);
  assert.equal(isRunning(pid, start), true);
  assert.equal(isRunning(pid, `${start}0`), false);
  assert.equal(startTime(pid), start);
  if (onLinux) assert.equal(markOf(pid), "i:s:1");
  child.stdin.end();
  await once(child, "exit");
  assert.equal(isRunning(pid, start), false);
});
