import assert from "node:assert/strict";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { OutputLimit } from "../../../src/host/output-limit.ts";
import { bench } from "./bench.ts";

test("read shows numbered lines, a part of them, and where to go on", async (t) => {
  const { work, use } = await bench(t);
  await writeFile(join(work, "a"), "one\ntwo\nthree\n");
  assert.equal((await use("read", { path: "a" })).output, "1: one\n2: two\n3: three");
  assert.equal(
    (await use("read", { path: "a", offset: 2, limit: 1 })).output,
    "2: two\n(lines 2 to 2 of 3; read on with offset 3)",
  );
  assert.equal((await use("read", { path: "a", offset: 3 })).output, "3: three\n(lines 3 to 3 of 3; this is the end)");
  await assert.rejects(use("read", { path: "a", offset: 4 }), /no line 4: the file has 3 lines/);
  await writeFile(join(work, "empty"), "");
  assert.equal((await use("read", { path: "empty" })).output, "(the file is empty)");
});

test("read refuses what is not there and what is no text", async (t) => {
  const { work, use } = await bench(t);
  await writeFile(join(work, "b"), Buffer.from([1, 0, 2]));
  await assert.rejects(use("read", { path: "nothing" }), /nothing does not exist/);
  await assert.rejects(use("read", { path: "b" }), /not a text file/);
});

test("write makes directories, keeps a file's permissions, and shortens it", async (t) => {
  const { work, use } = await bench(t);
  const { files } = await use("write", { path: "deep/er/a.sh", content: "echo a long line\n" });
  assert.deepEqual(
    files?.map(({ path, kind }) => [path, kind]),
    [["deep/er/a.sh", "added"]],
  );
  const file = join(work, "deep/er/a.sh");
  await chmod(file, 0o755);
  await use("write", { path: "deep/er/a.sh", content: "ä\n" });
  assert.equal(await readFile(file, "utf8"), "ä\n");
  assert.equal((await stat(file)).mode & 0o777, 0o755);
});

test("an edit of two places far apart is a diff of two hunks with true counts", async (t) => {
  const { work, use } = await bench(t);
  const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`);
  await writeFile(join(work, "f"), lines.join(""));
  const content = lines.with(0, "first\n").with(59, "last\n").join("");
  const { output, files } = await use("write", { path: "f", content });
  assert.equal(output, "changed f (+2 -2)");
  assert.deepEqual(files?.[0]?.diff?.match(/^@@.*$/gm), ["@@ -1,4 +1,4 @@", "@@ -57,4 +57,4 @@"]);
});

test("a binary file that is written over is named as binary, and its diff is known not to bring it back", async (t) => {
  const { work, use } = await bench(t);
  await writeFile(join(work, "b"), Buffer.from([0xff, 0, 1]));
  const { files } = await use("write", { path: "b", content: "text\n" });
  const diff = "Binary files a/b and b/b differ\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+text\n";
  const change = { path: "b", kind: "modified", diff, additions: 1, deletions: 0, cut: { characters: 3 } };
  assert.deepEqual(files, [change]);
});

const edits: [before: string, input: object, after: string | RegExp][] = [
  ["one two\n", { old: "two", new: "$& three" }, "one $& three\n"],
  ["a a\n", { old: "a", new: "b" }, /in the file 2 times/],
  ["a a\n", { old: "a", new: "b", all: true }, "b b\n"],
  ["a\n", { old: "x", new: "b" }, /not in the file/],
  ["a\n", { old: "a", new: "a" }, /would stay as it is/],
  ["aaa\n", { old: "aa", new: "b" }, /in the file 2 times/],
  ["one\r\ntwo\r\n", { old: "one\ntwo", new: "1\n2\n3" }, "1\r\n2\r\n3\r\n"],
  ["one\r\ntwo\r\n", { old: "one\r\ntwo", new: "1" }, "1\r\n"],
  ["one\r\ntwo\nthree\n", { old: "two\nthree", new: "2\n3" }, "one\r\n2\n3\n"],
  ["\ufeffone\n", { old: "one", new: "1" }, "\ufeff1\n"],
];

for (const [before, input, after] of edits) {
  test(`edit ${JSON.stringify(input)} of ${JSON.stringify(before)}`, async (t) => {
    const { work, use } = await bench(t);
    await writeFile(join(work, "f"), before);
    if (after instanceof RegExp) await assert.rejects(use("edit", { path: "f", ...input }), after);
    else await use("edit", { path: "f", ...input });
    assert.equal(await readFile(join(work, "f"), "utf8"), after instanceof RegExp ? before : after);
  });
}

test("edits of one file at the same time all happen", async (t) => {
  const { work, use } = await bench(t);
  await writeFile(join(work, "f"), "a b c d e\n");
  await Promise.all(["a", "b", "c", "d", "e"].map((old) => use("edit", { path: "f", old, new: old.toUpperCase() })));
  assert.equal(await readFile(join(work, "f"), "utf8"), "A B C D E\n");
});

test("a file that was changed while the person thought is not overwritten", async (t) => {
  const made = await bench(t, { permit: async () => writeFile(join(made.work, "f"), "theirs\n") });
  await writeFile(join(made.work, "f"), "mine\n");
  await assert.rejects(made.use("edit", { path: "f", old: "mine", new: "ours" }), /changed by somebody else/);
  assert.equal(await readFile(join(made.work, "f"), "utf8"), "theirs\n");
});

test("bash streams, keeps the order of both outputs and tells the exit code", async (t) => {
  const { use, outputs } = await bench(t);
  const { output, metadata } = await use("bash", {
    command: "for i in 1 2 3; do echo o$i; echo e$i >&2; done; exit 3",
  });
  assert.equal(output, "o1\ne1\no2\ne2\no3\ne3\n(exit code 3)");
  assert.equal(outputs.join(""), "o1\ne1\no2\ne2\no3\ne3\n");
  assert.deepEqual(metadata, { exitCode: 3 });
});

for (const signal of ["TERM", "KILL"])
  test(`bash fails for a command that SIG${signal} of somebody else ended, with its output so far`, async (t) => {
    const { use } = await bench(t);
    const { ok, error, output } = await use("bash", { command: `echo so far; kill -${signal} $$` });
    assert.deepEqual([ok, error], [false, { code: "killed", message: `the command was ended by SIG${signal}` }]);
    assert.equal(output, `so far\n(the command was ended by SIG${signal})`);
  });

test("bash ends a command when its time is up", async (t) => {
  const { use } = await bench(t);
  const { ok, error, output } = await use("bash", { command: "echo so far; sleep 60", seconds: 1 });
  assert.deepEqual([ok, error?.code], [false, "limit_time"]);
  assert.match(output, /^so far\n/);
});

test("bash ends a command that writes without end, in little memory", async (t) => {
  const { use } = await bench(t);
  const { error, output } = await use("bash", { command: "yes" });
  assert.equal(error?.code, "limit_output");
  assert.ok(output.length < 50_000, `${output.length}`);
});

test("bash has neither a terminal nor Parley's token", async (t) => {
  process.env.PARLEY_TOKEN = "secret-token";
  t.after(() => {
    delete process.env.PARLEY_TOKEN;
  });
  const { use } = await bench(t);
  const { output } = await use("bash", { command: 'cat; echo "[$PARLEY_TOKEN] $PAGER"' });
  assert.equal(output, "[] cat\n");
});

test("glob lists files and leaves out what nobody wrote", async (t) => {
  const { work, use } = await bench(t);
  for (const path of ["src", "node_modules/x", ".git"]) await mkdir(join(work, path), { recursive: true });
  for (const path of ["a.ts", "src/b.ts", "src/c.md", "node_modules/x/d.ts", ".git/e.ts"])
    await writeFile(join(work, path), "");
  assert.equal((await use("glob", { pattern: "*.ts" })).output, "a.ts\nsrc/b.ts");
  assert.equal((await use("glob", { pattern: "*", path: "src" })).output, "src/b.ts\nsrc/c.md");
  assert.equal((await use("glob", { pattern: "*.none" })).output, "no file matches");
});

test("grep finds lines with their files and numbers", async (t) => {
  const { work, use } = await bench(t);
  await mkdir(join(work, "src"));
  await writeFile(join(work, "src/a.ts"), "one\nTwo three\n");
  await writeFile(join(work, "b.md"), "two\n");
  assert.equal(
    (await use("grep", { pattern: "two", ignoreCase: true, include: "*.ts" })).output,
    "src/a.ts:2:Two three",
  );
  assert.equal((await use("grep", { pattern: "^t", path: "b.md" })).output, "b.md:1:two");
  assert.equal((await use("grep", { pattern: "o.*ee", path: "src" })).output, "src/a.ts:2:Two three");
  assert.equal((await use("grep", { pattern: "-e" })).output, "nothing found");
  await assert.rejects(use("grep", { pattern: "(" }), /[Uu]nmatched|parenthes/);
});

test("a long output keeps its beginning and its end", () => {
  const limit = new OutputLimit();
  for (let at = 0; at < 20_000; at++) limit.add(`line ${at}\n`);
  const text = limit.text();
  assert.ok(text.startsWith("line 0\n") && text.endsWith("line 19999\n"));
  assert.match(text, /characters left out/);
  assert.ok(text.length < 31_000);
});
