import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { OpencodeClient } from "../../../support/opencode.ts";
import { temporary } from "../../../support/server.ts";
import { files, git, inDirectory, opencodeRig, repository } from "../rig.ts";
import { DRIVEN, disguisedRepository, globalFilter, plainGit, promisedRepository, trappedRepository } from "./traps.ts";

const LOOKS = [
  "/file?path=.",
  "/file/content?path=a.clean",
  "/file/status",
  "/find?pattern=changed",
  "/find/file?query=a",
  "/path",
  "/project",
  "/project/current",
  "/session",
  "/vcs",
  "/vcs/status",
  "/vcs/diff?mode=git",
  "/vcs/diff?mode=branch",
  "/vcs/diff/raw",
  "/experimental/worktree",
  "/experimental/session",
  "/api/location",
  "/api/fs/list",
  "/api/fs/find?query=a",
  "/api/session",
];

const PATCH = `diff --git a/b.smudge b/b.smudge
--- a/b.smudge
+++ b/b.smudge
@@ -1 +1 @@
-changed
+patched
`;

/** Asks for everything for which git may be run. */
async function lookEverywhere(client: OpencodeClient, directory: string): Promise<void> {
  for (const path of LOOKS) {
    const { status } = await client.call("GET", inDirectory(path, directory));
    assert.ok(status < 500, `${path}: ${status}`);
  }
  await client.call("POST", inDirectory("/vcs/apply", directory), { body: { patch: PATCH } });
  await client.call("POST", inDirectory("/project/git/init", directory));
  await client.call("POST", inDirectory("/session", directory), { body: {} });
  await client.call("POST", inDirectory("/api/session", directory), { body: {} });
}

/** Runs with variables that Parley's own process has meanwhile. */
async function withVariables(variables: Record<string, string>, work: () => Promise<void>): Promise<void> {
  Object.assign(process.env, variables);
  try {
    await work();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}

test("no program of any kind that a repository names is run by looking at it", async (t) => {
  const { client } = await opencodeRig(t);
  const user = await globalFilter(t);
  const { directory, markers } = await trappedRepository(t);
  await withVariables({ GIT_CONFIG_GLOBAL: user.file }, () => lookEverywhere(client, directory));
  assert.deepEqual([...(await markers()), ...(await user.markers())], []);
  // The traps bite whoever runs git as it is.
  const env = { GIT_CONFIG_GLOBAL: user.file };
  plainGit(directory, ["status"], env);
  for (const name of DRIVEN) plainGit(directory, ["diff", "HEAD", "--", name], env);
  plainGit(join(directory, "sub"), ["diff", "HEAD"], env);
  plainGit(directory, ["checkout", "HEAD", "--", "b.smudge"], env);
  assert.deepEqual(
    [...(await markers()), ...(await user.markers())],
    [
      "diff-command",
      "diff-textconv",
      "filter-clean",
      "filter-included",
      "filter-process",
      "filter-smudge",
      "fsmonitor",
      "hook-post-checkout",
      "hook-post-index-change",
      "submodule-filter",
      "submodule-fsmonitor",
      "filter-global",
    ],
  );
});

test("the missing objects of a partial clone are not fetched by looking at it", async (t) => {
  const { client } = await opencodeRig(t);
  const { directory, markers } = await promisedRepository(t);
  await lookEverywhere(client, directory);
  assert.deepEqual(await markers(), []);
  plainGit(directory, ["diff", "HEAD"]);
  assert.deepEqual(await markers(), ["fetch"]);
});

test("a directory that only looks like a bare repository is none, and runs nothing", async (t) => {
  const { client } = await opencodeRig(t);
  const { directory, markers } = await disguisedRepository(t);
  await lookEverywhere(client, directory);
  assert.deepEqual(await markers(), []);
  const { directory: again, markers: bitten } = await disguisedRepository(t);
  plainGit(again, ["status"]);
  assert.deepEqual(await bitten(), ["bare-fsmonitor"]);
});

test("a repository cannot have another directory looked at in its place", async (t) => {
  const { client } = await opencodeRig(t);
  const elsewhere = await temporary(t);
  await files(elsewhere, { "secret.txt": "secret\n" });
  const directory = await repository(t, { "a.txt": "one\n" });
  await git(directory, "config", "core.worktree", elsewhere);
  const found = await client.get<string[]>(inDirectory("/find/file?query=txt", directory));
  assert.deepEqual(found, ["a.txt"]);
  assert.deepEqual(await client.get(inDirectory("/vcs/status", directory)), []);
});

test("the variables of Parley's own environment lead git nowhere else and run nothing", async (t) => {
  const { client } = await opencodeRig(t);
  const other = await repository(t, { "other.txt": "x\n" });
  const directory = await repository(t, { "a.txt": "one\n" });
  await files(directory, { "a.txt": "two\n" });
  const marker = join(await temporary(t), "marker");
  const variables = {
    GIT_DIR: join(other, ".git"),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: join(other, ".git", "index"),
    GIT_EXTERNAL_DIFF: `touch ${marker}; true`,
    GIT_TRACE: marker,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: `touch ${marker}; false`,
  };
  await withVariables(variables, async () => {
    const [diff, ...more] = await client.get<{ file: string; patch: string }[]>(
      inDirectory("/vcs/diff?mode=git", directory),
    );
    assert.deepEqual([diff?.file, more], ["a.txt", []]);
    assert.match(diff?.patch ?? "", /-one\n\+two\n/);
  });
  await assert.rejects(async () => execFileSync("test", ["-e", marker]));
});

test("pipes in the place of git's own files are waited for by nobody", { timeout: 60_000 }, async (t) => {
  const { client } = await opencodeRig(t);
  for (const name of [".git", ".git/commondir", ".git/config", ".git/opencode"]) {
    const directory = await temporary(t);
    if (name !== ".git") await mkdir(join(directory, ".git"));
    execFileSync("mkfifo", [join(directory, name)]);
    for (const path of ["/project/current", "/vcs", "/vcs/status"]) {
      const { status } = await client.call("GET", inDirectory(path, directory));
      assert.equal(status, 200, `${name}: ${path}`);
    }
  }
});

test("settings of an honest repository that change an answer still do", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "a.txt": "one\ntwo\n", "run.sh": "#!/bin/sh\n" });
  const ignored = join(await temporary(t), "ignored");
  await writeFile(ignored, "*.log\n");
  await git(directory, "config", "core.excludesFile", ignored);
  await git(directory, "config", "core.autocrlf", "true");
  await git(directory, "config", "core.fileMode", "false");
  await files(directory, { "a.txt": "one\r\ntwo\r\n", "b.log": "left out\n" });
  execFileSync("chmod", ["+x", join(directory, "run.sh")]);
  assert.deepEqual(await client.get(inDirectory("/vcs/status", directory)), []);
});

test("a file with a filter is compared as it lies there: what git knows to be unchanged is not told", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  await git(directory, "init", "--quiet");
  await git(directory, "config", "filter.upper.clean", "tr a-z A-Z");
  await git(directory, "config", "filter.upper.smudge", "tr A-Z a-z");
  await files(directory, { ".gitattributes": "*.up filter=upper\n", "a.up": "one\n", "b.up": "two\n" });
  await git(directory, "add", "--all");
  await git(directory, "commit", "--quiet", "--message", "first");
  // Written in the same moment as the index, files would be read once more.
  execFileSync("touch", ["-d", "1 hour ago", join(directory, "a.up"), join(directory, "b.up")]);
  await git(directory, "status");
  await files(directory, { "b.up": "three\n" });
  const diffs = await client.get<{ file: string; patch: string }[]>(inDirectory("/vcs/diff?mode=git", directory));
  assert.deepEqual(
    diffs.map(({ file }) => file),
    ["b.up"],
  );
  assert.match(diffs[0]?.patch ?? "", /-TWO\n\+three\n/);
});
