import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openToOthers, readStore, shellPath } from "../../src/credentials/read-store.ts";
import { tempDirectory } from "../host/support.ts";

const problemOf = (path: string): { code: string; detail: string } | undefined => {
  const read = readStore(path);
  return read && "problem" in read ? { code: read.problem.code, detail: read.problem.detail } : undefined;
};

test("a file is read, also behind a link; where there is none nothing is wrong", async (t) => {
  const directory = await tempDirectory(t);
  const file = join(directory, "auth.json");
  assert.equal(readStore(file), undefined);
  symlinkSync(file, join(directory, "link"));
  assert.equal(readStore(join(directory, "link")), undefined);
  writeFileSync(file, "{}", { mode: 0o600 });
  for (const path of [file, join(directory, "link")]) assert.deepEqual(readStore(path), { text: "{}", mode: 0o100600 });
  assert.equal(readStore(join(file, "below")), undefined);
});

test("what is no file is said, and never waited for", async (t) => {
  const directory = await tempDirectory(t);
  const at = (name: string): string => join(directory, name);
  mkdirSync(at("directory"));
  assert.deepEqual(problemOf(at("directory")), { code: "not_a_file", detail: "expected a file, got a directory" });
  execFileSync("mkfifo", [at("pipe")]);
  assert.deepEqual(problemOf(at("pipe")), { code: "not_a_file", detail: "expected a file, got a pipe" });
  symlinkSync("/dev/zero", at("device"));
  assert.deepEqual(problemOf(at("device")), { code: "not_a_file", detail: "expected a file, got a device" });
  symlinkSync(at("circle"), at("circle"));
  assert.deepEqual(problemOf(at("circle")), { code: "unreadable", detail: "its links lead in a circle" });
  writeFileSync(at("large"), "");
  truncateSync(at("large"), 20_000_000);
  assert.equal(problemOf(at("large"))?.code, "too_large");
});

test("a file that the user may not read is said", { skip: process.getuid?.() === 0 }, async (t) => {
  const file = join(await tempDirectory(t), "auth.json");
  writeFileSync(file, "{}");
  chmodSync(file, 0);
  assert.deepEqual(problemOf(file), { code: "unreadable", detail: "you may not read it" });
});

test("a mode that lets others in is told with the command that keeps them out", () => {
  const rows: [mode: number, detail: string | undefined][] = [
    [0o100600, undefined],
    [0o100400, undefined],
    [0o100644, "other users can read it (mode 0644)"],
    [0o100640, "other users can read it (mode 0640)"],
    [0o100620, "other users can change it (mode 0620)"],
    [0o100611, "other users can open it (mode 0611)"],
  ];
  for (const [mode, detail] of rows) assert.equal(openToOthers("/x", mode)?.detail, detail);
  assert.equal(openToOthers("/it's here/auth.json", 0o644)?.advice, "chmod 600 '/it'\\''s here/auth.json'");
  assert.equal(shellPath("/home/me/.codex/auth.json"), "/home/me/.codex/auth.json");
});
