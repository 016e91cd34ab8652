import assert from "node:assert/strict";
import { readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileOfPatch, splitPatch } from "../../../../src/surfaces/opencode/workspace/git/patches.ts";
import { temporary } from "../../../support/server.ts";
import { files, git, inDirectory, opencodeRig, repository } from "../rig.ts";

interface Diff {
  file: string;
  patch: string;
  additions: number;
  deletions: number;
  status: string;
}

const ODD = 'an "odd" name\twith ü.txt';

test("the branch is that of the checkout, beside the one that work is measured against", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "a.txt": "a" });
  assert.deepEqual(await client.get(inDirectory("/vcs", directory)), { branch: "main", default_branch: "main" });
  await git(directory, "switch", "--quiet", "--create", "topic");
  assert.deepEqual(await client.get(inDirectory("/vcs", directory)), { branch: "topic", default_branch: "main" });
  await git(directory, "switch", "--quiet", "--detach");
  assert.deepEqual(await client.get(inDirectory("/vcs", directory)), { default_branch: "main" });
  assert.deepEqual(await client.get(inDirectory("/vcs", await temporary(t))), {});
});

test("changed files are told with their lines: modified, deleted, new, staged or not, with any name", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, {
    "a.txt": "one\ntwo\n",
    "gone.txt": "x\n",
    [ODD]: "o\n",
    "bin.dat": Buffer.from([0, 1]),
  });
  await files(directory, {
    "a.txt": "one\n2\n",
    [ODD]: "o\np\n",
    "sub/new.txt": "n\n",
    "staged.txt": "s\n",
    "bin.dat": Buffer.from([0, 2]),
  });
  await rm(join(directory, "gone.txt"));
  await git(directory, "add", "staged.txt");
  const status = await client.get<Omit<Diff, "patch">[]>(inDirectory("/vcs/status", directory));
  assert.deepEqual(
    status.map(({ file, additions, deletions, status: how }) => [file, additions, deletions, how]),
    [
      ["a.txt", 1, 1, "modified"],
      [ODD, 1, 0, "modified"],
      ["bin.dat", 0, 0, "modified"],
      ["gone.txt", 0, 1, "deleted"],
      ["staged.txt", 1, 0, "added"],
      ["sub/new.txt", 1, 0, "added"],
    ],
  );
  const diffs = await client.get<Diff[]>(inDirectory("/vcs/diff?mode=git", directory));
  assert.deepEqual(
    diffs.map(({ patch, ...rest }) => rest),
    status,
  );
  const patches = new Map(diffs.map(({ file, patch }) => [file, patch]));
  assert.match(patches.get("a.txt") ?? "", /@@.*@@\n one\n-two\n\+2\n$/);
  assert.match(patches.get(ODD) ?? "", /\+p\n$/);
  assert.match(patches.get("sub/new.txt") ?? "", /new file mode[^@]*@@ -0,0 \+1 @@\n\+n\n$/);
  assert.match(patches.get("bin.dat") ?? "", /Binary files/);
  const raw = await client.call<string>("GET", inDirectory("/vcs/diff/raw", directory));
  assert.equal(raw.headers.get("content-type"), "text/x-diff; charset=utf-8");
  assert.equal(raw.body.match(/^diff --git /gm)?.length, 6);
});

test("a diff has as many lines around it as are asked for", async (t) => {
  const { client } = await opencodeRig(t);
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const directory = await repository(t, { "a.txt": lines.join("\n") });
  await files(directory, { "a.txt": lines.with(20, "changed").join("\n") });
  const [all] = await client.get<Diff[]>(inDirectory("/vcs/diff?mode=git", directory));
  assert.match(all?.patch ?? "", /line 0\n/);
  const [few] = await client.get<Diff[]>(inDirectory("/vcs/diff?mode=git&context=1", directory));
  assert.equal(few?.patch.match(/^ line/gm)?.length, 2);
  for (const bad of ["", "mode=other", "mode=git&context=-1", "mode=git&context=x"])
    await client.expect(400, "GET", inDirectory(`/vcs/diff?${bad}`, directory));
});

test("a branch is compared with where it began", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "a.txt": "a\n" });
  await git(directory, "switch", "--quiet", "--create", "topic");
  await files(directory, { "b.txt": "b\n" });
  await git(directory, "add", "--all");
  await git(directory, "commit", "--quiet", "--message", "topic");
  await files(directory, { "c.txt": "c\n" });
  const names = async (mode: string): Promise<string[]> =>
    (await client.get<Diff[]>(inDirectory(`/vcs/diff?mode=${mode}`, directory))).map(({ file }) => file);
  assert.deepEqual(await names("git"), ["c.txt"]);
  assert.deepEqual(await names("branch"), ["b.txt", "c.txt"]);
  await git(directory, "switch", "--quiet", "main");
  assert.deepEqual(await names("branch"), []);
});

test("a repository without a commit, and a directory without a repository, have answers too", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  for (const path of ["/vcs/status", "/vcs/diff?mode=git", "/vcs/diff?mode=branch"])
    assert.deepEqual(await client.get(inDirectory(path, await temporary(t))), []);
  await git(directory, "init", "--quiet");
  await files(directory, { "staged.txt": "s\n", "new.txt": "n\n" });
  await git(directory, "add", "staged.txt");
  const other = await temporary(t);
  await git(other, "init", "--quiet");
  const diffs = await client.get<Diff[]>(inDirectory("/vcs/diff?mode=git", directory));
  assert.deepEqual(
    diffs.map(({ file, status }) => [file, status]),
    [
      ["new.txt", "added"],
      ["staged.txt", "added"],
    ],
  );
  assert.deepEqual(await client.get(inDirectory("/vcs/status", other)), []);
});

test("a patch is applied as a whole or not at all, and never outside of the directory", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "a.txt": "one\n", "b.txt": "two\n" });
  const outside = await temporary(t);
  await symlink(outside, join(directory, "out"));
  const change = (file: string, from: string, to: string): string =>
    `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-${from}\n+${to}\n`;
  const create = (file: string): string =>
    `diff --git a/${file} b/${file}\nnew file mode 100644\n--- /dev/null\n+++ b/${file}\n@@ -0,0 +1 @@\n+x\n`;
  const apply = (patch: string): Promise<{ status: number; body: { name: string; data: Record<string, string> } }> =>
    client.call("POST", inDirectory("/vcs/apply", directory), { body: { patch } });
  assert.equal((await apply(change("a.txt", "one", "1"))).status, 200);
  assert.equal(await readFile(join(directory, "a.txt"), "utf8"), "1\n");
  const refused = [
    change("a.txt", "1", "again") + change("b.txt", "not what is there", "2"),
    create("../escaped.txt"),
    create("out/escaped.txt"),
    "this is no patch",
  ];
  for (const patch of refused) {
    const { status, body } = await apply(patch);
    assert.deepEqual([status, body.name, body.data.reason], [400, "VcsApplyError", "not-clean"], patch);
    assert.doesNotMatch(body.data.message ?? "", /patch-[0-9a-f]/, "where the patch was kept is nobody's business");
  }
  assert.equal(await readFile(join(directory, "a.txt"), "utf8"), "1\n");
  await assert.rejects(readFile(join(outside, "escaped.txt")));
  const plain = await client.call<{ data: { reason: string } }>("POST", inDirectory("/vcs/apply", outside), {
    body: { patch: create("a.txt") },
  });
  assert.deepEqual([plain.status, plain.body.data.reason], [400, "non-git"]);
  for (const body of [{}, { patch: "" }, { patch: 1 }])
    await client.expect(400, "POST", inDirectory("/vcs/apply", directory), { body });
});

test("linked checkouts are listed", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "a.txt": "a" });
  const linked = join(await temporary(t), "linked");
  assert.deepEqual(await client.get(inDirectory("/experimental/worktree", directory)), []);
  await git(directory, "worktree", "add", "--quiet", linked);
  assert.deepEqual(await client.get(inDirectory("/experimental/worktree", directory)), [linked]);
});

const PATCH = [
  "diff --git a/a b/a",
  "--- a/a",
  "+++ b/a",
  "@@ -1 +1 @@",
  "-diff --git a/x b/x is only text here",
  "+--- a/y",
  'diff --git "a/q\\"\\t" "b/q\\"\\t"',
  '--- "a/q\\"\\t"',
  "+++ /dev/null",
  "@@ -1 +0,0 @@",
  "-x",
  "diff --git a/empty file b/empty file",
  "new file mode 100644",
  "index 0000000..e69de29",
  "",
].join("\n");

test("a diff is cut where its files begin, and each file is known by its name", () => {
  const pieces = splitPatch(PATCH);
  assert.deepEqual(pieces.map(fileOfPatch), ["a", 'q"\t', "empty file"]);
  assert.equal(pieces.join(""), PATCH);
});
