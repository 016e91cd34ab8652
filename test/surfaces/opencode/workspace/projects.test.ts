import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { silentLogger } from "../../../../src/core/logger.ts";
import { projectOf, remoteName } from "../../../../src/surfaces/opencode/workspace/project.ts";
import { Projects } from "../../../../src/surfaces/opencode/workspace/projects.ts";
import { OpencodeClient } from "../../../support/opencode.ts";
import { temporary } from "../../../support/server.ts";
import { git, inDirectory, opencodeRig, repository } from "../rig.ts";

interface Project {
  id: string;
  worktree: string;
  vcs?: string;
  name?: string;
  sandboxes: string[];
}

const remotes: [address: string, name: string | undefined][] = [
  ["https://github.com/owner/name.git", "github.com/owner/name"],
  ["https://user:secret@GitHub.com/owner/name/", "github.com/owner/name"],
  ["git@github.com:owner/name.git", "github.com/owner/name"],
  ["ssh://git@host.example:2222/deep/er/name.git", "host.example/deep/er/name"],
  ["host:owner/name", undefined],
  ["file:///srv/name.git", undefined],
  ["/srv/name.git", undefined],
  ["../name", undefined],
  ["", undefined],
];

for (const [address, name] of remotes) {
  test(`a repository cloned from "${address}" is ${name ?? "known by its first commit"}`, () =>
    assert.equal(remoteName(address), name));
}

test("a repository's project is its first commit, and all of its directories belong to it", async (t) => {
  const directory = await repository(t, { "src/deep/a.txt": "a" });
  const first = await git(directory, "rev-list", "--max-parents=0", "HEAD");
  const whole = { id: first, worktree: directory, root: directory, vcs: "git" };
  assert.deepEqual(projectOf(directory), whole);
  assert.deepEqual(projectOf(join(directory, "src", "deep")), whole);
  assert.deepEqual(projectOf(join(directory, "not", "there")), whole);
});

test("a repository with an address is known by it; one that OpenCode has named keeps the name", async (t) => {
  const directory = await repository(t, { "a.txt": "a" });
  await writeFile(join(directory, ".git", "opencode"), "0123abcd\n");
  assert.equal(projectOf(directory).id, "0123abcd");
  const other = await repository(t, { "a.txt": "a" });
  await writeFile(join(other, ".git", "opencode"), "0123abcd\n");
  await git(other, "remote", "add", "upstream", "https://example.com/up/stream.git");
  await git(other, "remote", "add", "origin", "git@example.com:some/thing.git");
  const sha = createHash("sha1").update("git-remote:example.com/some/thing").digest("hex");
  assert.equal(projectOf(other).id, sha);
});

test("a linked checkout belongs to the project of its repository", async (t) => {
  const directory = await repository(t, { "a.txt": "a" });
  const linked = join(await temporary(t), "linked");
  await git(directory, "worktree", "add", "--quiet", linked);
  const { id } = projectOf(directory);
  assert.deepEqual(projectOf(linked), { id, worktree: directory, root: linked, vcs: "git" });
});

test("outside of a repository the project is the global one; a .git that is none is none", async (t) => {
  const directory = await temporary(t);
  const global = { id: "global", worktree: "/", root: "/" };
  assert.deepEqual(projectOf(directory), global);
  const odd = join(directory, "odd");
  await mkdir(odd);
  await writeFile(join(odd, ".git"), "this is no link to a repository");
  assert.deepEqual(projectOf(odd), global);
  const dangling = join(directory, "dangling");
  await mkdir(dangling);
  await symlink("/nowhere", join(dangling, ".git"));
  assert.deepEqual(projectOf(dangling), global);
  const astray = join(directory, "astray");
  await mkdir(astray);
  await writeFile(join(astray, ".git"), `gitdir: ${join(odd, ".git")}`);
  assert.deepEqual(projectOf(astray), global);
});

test("an empty .git makes no repository of a directory, nor a project of its own within one", async (t) => {
  const outside = await temporary(t);
  await mkdir(join(outside, ".git"));
  assert.deepEqual(projectOf(outside), { id: "global", worktree: "/", root: "/" });
  const directory = await repository(t, { "sub/a.txt": "a" });
  const sub = join(directory, "sub");
  await mkdir(join(sub, ".git"));
  assert.deepEqual(projectOf(sub), projectOf(directory));
  assert.equal(projectOf(sub).root, directory);
});

test("B3: path and project are those of the directory that is named", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "sub/a.txt": "a" });
  const sub = join(directory, "sub");
  const { worktree, directory: said } = await client.get<Record<string, string>>(inDirectory("/path", sub));
  assert.deepEqual([worktree, said], [directory, sub]);
  const current = await client.get<Project>(inDirectory("/project/current", sub));
  assert.deepEqual([current.worktree, current.vcs], [directory, "git"]);
  const header = { headers: { "x-opencode-directory": encodeURIComponent(sub) } };
  assert.deepEqual((await client.get<Project>("/project/current", header)).id, current.id);
  const directories = await client.get<{ directory: string }[]>(
    inDirectory(`/project/${current.id}/directories`, directory),
    { operation: "GET /project/{projectID}/directories" },
  );
  assert.deepEqual(directories, [{ directory: sub }, { directory }]);
});

test("a project's name and icon are kept, also over a restart", async (t) => {
  const { client, server } = await opencodeRig(t);
  const directory = await repository(t, { "a.txt": "a" });
  const { id } = await client.get<Project>(inDirectory("/project/current", directory));
  const operation = "PATCH /project/{projectID}";
  const change = { name: "Mine", icon: { color: "blue" } };
  await client.expect(200, "PATCH", inDirectory(`/project/${id}`, directory), { body: change, operation });
  const named = await client.expect<Project>(200, "PATCH", `/project/${id}`, {
    body: { commands: { start: "npm ci" } },
    operation,
  });
  assert.deepEqual(
    { ...named, time: undefined },
    { ...named, ...change, commands: { start: "npm ci" }, time: undefined },
  );
  await client.expect(404, "PATCH", "/project/nothing", { body: { name: "x" } });
  await client.expect(404, "GET", "/project/nothing/directories");
  await client.expect(400, "PATCH", `/project/${id}`, { body: { icon: "blue" } });
  await server.restart();
  const again = new OpencodeClient(server.parley.url);
  const listed = await again.get<Project[]>("/project");
  assert.equal(listed.find((project) => project.id === id)?.name, "Mine");
});

test("a directory becomes a repository when a client asks for it", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  assert.equal((await client.get<Project>(inDirectory("/project/current", directory))).vcs, undefined);
  const made = await client.expect<Project>(200, "POST", inDirectory("/project/git/init", directory));
  assert.deepEqual([made.vcs, made.worktree, made.id], ["git", directory, "global"]);
  assert.match(await readFile(join(directory, ".git", "HEAD"), "utf8"), /^ref:/);
  await client.expect(200, "POST", inDirectory("/project/git/init", directory));
  await client.expect(404, "POST", inDirectory("/project/git/init", join(directory, "not", "there", "at", "all", "x")));
});

test("a list of projects that cannot be read is begun anew, and said so", async (t) => {
  const directory = await temporary(t);
  const file = join(directory, "projects.json");
  await writeFile(file, "{ broken");
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (details: unknown) => void warnings.push(details) };
  const projects = new Projects({ file, logger });
  const place = await repository(t, { "a.txt": "a" });
  await projects.current(place);
  await projects.saved();
  assert.equal(warnings.length, 1);
  const next = new Projects({ file, logger: silentLogger });
  assert.deepEqual(
    (await next.list()).map(({ worktree }) => worktree),
    [place],
  );
});
