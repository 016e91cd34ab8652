import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { instructionsFor } from "../../../../src/agents/house/past/instructions.ts";
import type { CommandHost } from "../../../../src/host/contract.ts";
import { isRunning, startTime } from "../../../../src/host/process-identity.ts";
import { eventually } from "../../../support/eventually.ts";
import { bench } from "../bench.ts";

const LATIN1 = Buffer.from("caf\xe9 one\n", "latin1");

test("a file that is not UTF-8 is read with a warning, and never damaged by an edit", async (t) => {
  const { work, use } = await bench(t);
  await writeFile(join(work, "f"), LATIN1);
  assert.match((await use("read", { path: "f" })).output, /^1: caf\ufffd one\n\(not UTF-8/);
  await assert.rejects(use("edit", { path: "f", old: "one", new: "two" }), /not UTF-8 and would be damaged/);
  assert.deepEqual(await readFile(join(work, "f")), LATIN1);
});

test("a change of bytes that look the same as text is seen", async (t) => {
  const made = await bench(t, {
    permit: () => writeFile(join(made.work, "f"), Buffer.from("caf\xe8 one\n", "latin1")),
  });
  await writeFile(join(made.work, "f"), LATIN1);
  await assert.rejects(made.use("write", { path: "f", content: "mine\n" }), /changed by somebody else/);
  assert.equal((await readFile(join(made.work, "f")))[3], 0xe8);
});

test("a text in place of one that only looks like it is a change", async (t) => {
  const { work, use } = await bench(t);
  await writeFile(join(work, "f"), LATIN1);
  await use("write", { path: "f", content: "caf\ufffd one\n" });
  assert.equal(await readFile(join(work, "f"), "utf8"), "caf\ufffd one\n");
});

test("lines that end with a carriage return, too, are shown without it", async (t) => {
  const { work, use } = await bench(t);
  await writeFile(join(work, "f"), "one\r\ntwo\r\n");
  assert.equal((await use("read", { path: "f" })).output, "1: one\n2: two");
});

test("a file of long lines is read piece by piece", async (t) => {
  const { work, use } = await bench(t);
  await writeFile(join(work, "f"), `${"x".repeat(1_990)}\n`.repeat(1_000));
  const { output } = await use("read", { path: "f" });
  assert.ok(output.length < 110_000, `${output.length} characters`);
  const next = /read on with offset (\d+)\)$/.exec(output)?.[1];
  assert.match((await use("read", { path: "f", offset: Number(next) })).output, new RegExp(`^${next}: xxx`));
});

test("a file that is too large to be shown is not changed in memory", async (t) => {
  const { work, use } = await bench(t);
  await writeFile(join(work, "f"), Buffer.alloc(10_000_001, "x"));
  await assert.rejects(use("edit", { path: "f", old: "x", new: "y", all: true }), /10000001 bytes, more than/);
  await assert.rejects(use("write", { path: "f", content: "y" }), /10000001 bytes, more than/);
});

test("a project's notes of any size are read no further than is told", async (t) => {
  const { work } = await bench(t);
  await writeFile(join(work, "AGENTS.md"), "ä".repeat(2_000_000));
  assert.ok((await instructionsFor(work, false)).length < 40_000);
});

test("a search finds what it may read, though there is something that it may not", async (t) => {
  const host: CommandHost = {
    run(_, { output }) {
      output("a.txt\u00001:one\n");
      return { exited: Promise.resolve({ code: 2, signal: null }), kill: async () => {} };
    },
  };
  const { use } = await bench(t, { host });
  assert.equal((await use("grep", { pattern: "one" })).output, "a.txt:1:one");
});

test("a glob below a linked directory gives paths that read takes", async (t) => {
  const { work, use } = await bench(t);
  await mkdir(join(work, "real"));
  await writeFile(join(work, "real/a.txt"), "words\n");
  await symlink("real", join(work, "link"));
  const { output } = await use("glob", { pattern: "*.txt", path: "link" });
  assert.match((await use("read", { path: output })).output, /words/);
});

const unruly: [name: string, command: string][] = [
  ["does not listen to TERM", 'trap "" TERM; echo $$; while :; do sleep 1; done'],
  ["has closed its output", "echo $$; exec >&- 2>&-; sleep 60"],
  ["has left its group", 'setsid sh -c "echo \\$\\$; sleep 60" & wait'],
];

for (const [name, command] of unruly) {
  test(`a command that ${name} is gone when it is given up`, async (t) => {
    const stop = new AbortController();
    const { use, outputs } = await bench(t, { signal: stop.signal });
    const running = use("bash", { command });
    await eventually("its pid", () => /^\d+\n/.test(outputs.join("")));
    const pid = Number(outputs.join("").trim());
    const start = startTime(pid) ?? "";
    stop.abort();
    const { ok, error } = await running;
    assert.deepEqual([ok, error?.code], [false, "aborted"]);
    assert.equal(isRunning(pid, start), false);
  });
}

test("a command that leaves something in the background does not keep the call, nor the thing", async (t) => {
  const { use } = await bench(t);
  const { output } = await use("bash", { command: "(sleep 60 & echo $!); echo done", seconds: 20 });
  const pid = Number(output.split("\n")[0]);
  await eventually("its end", () => startTime(pid) === undefined);
  assert.match(output, /done\n$/);
});
