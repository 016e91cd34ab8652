import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../support/eventually.ts";
import type { OpencodeClient } from "../../../support/opencode.ts";
import { temporary } from "../../../support/server.ts";
import { git, inDirectory, type OpencodeRig, opencodeRig, repository } from "../rig.ts";
import { trappedRepository } from "../workspace/traps.ts";

interface Worktree {
  name: string;
  branch: string;
  directory: string;
}

const PATH = "/experimental/worktree";

interface Answer<T> {
  status: number;
  body: T;
}

async function send<T = unknown>(
  client: OpencodeClient,
  method: "POST" | "DELETE",
  path: string,
  directory: string,
  body?: object,
): Promise<Answer<T>> {
  const { status, text } = await client.call(method, inDirectory(path, directory), body ? { body } : {});
  return { status, body: (text === "" ? undefined : JSON.parse(text)) as T };
}

/** A worktree with its files. */
async function ready(client: OpencodeClient, directory: string, body: object, file = "a.txt"): Promise<Worktree> {
  const { status, body: made } = await send<Worktree>(client, "POST", PATH, directory, body);
  assert.equal(status, 200, JSON.stringify(made));
  await eventually("the files are there", () => existsSync(join(made.directory, file)));
  await eventually("git is done", async () => (await git(made.directory, "status", "--porcelain")) === "");
  return made;
}

async function rig(t: TestContext): Promise<OpencodeRig & { directory: string }> {
  return { ...(await opencodeRig(t)), directory: await repository(t, { "a.txt": "a\n", ".gitignore": "*.log\n" }) };
}

test("a worktree is a checkout of its own on a branch of its own, and a session in it runs there", async (t) => {
  const { client, directory } = await rig(t);
  const made = await ready(client, directory, { name: "Feature One" });
  assert.deepEqual([made.name, made.branch], ["feature-one", "opencode/feature-one"]);
  assert.equal(await git(made.directory, "symbolic-ref", "HEAD"), "refs/heads/opencode/feature-one");
  assert.equal(await git(made.directory, "rev-parse", "HEAD"), await git(directory, "rev-parse", "HEAD"));
  assert.deepEqual(await client.get(inDirectory(PATH, directory)), [made.directory]);
  const project = await client.get<{ id: string; sandboxes: string[] }>(inDirectory("/project/current", directory));
  assert.deepEqual(project.sandboxes, [made.directory]);
  const directories = await client.get(inDirectory(`/project/${project.id}/directories`, directory));
  assert.deepEqual(directories, [{ directory: made.directory, strategy: "git_worktree" }, { directory }]);
  const { body } = await send<{ id: string; directory: string }>(client, "POST", "/session", made.directory, {});
  assert.equal(body.directory, made.directory);
  await send(client, "POST", `/session/${body.id}/shell`, made.directory, { agent: "build", command: "touch made" });
  assert.ok(existsSync(join(made.directory, "made")));
  assert.equal(await git(directory, "status", "--porcelain"), "", "the main checkout is untouched");
});

const NAMES: [wish: string | undefined, name: RegExp][] = [
  [undefined, /^[a-z]+-[a-z]+$/],
  ["", /^[a-z]+-[a-z]+$/],
  ["..", /^[a-z]+-[a-z]+$/],
  ["文字", /^[a-z]+-[a-z]+$/],
  ["--force", /^force$/],
  ["../../etc/passwd", /^etc-passwd$/],
  ["My Feature ../x ü -f", /^my-feature-x-f$/],
  ["a".repeat(500), /^a{60}$/],
  ["x.lock", /^x-lock$/],
  ["same", /^same$/],
  ["same", /^same-[a-z]+-[a-z]+$/],
  ["Same!", /^same-[a-z]+-[a-z]+$/],
];

test("names are made safe and unique", async (t) => {
  const { client, directory } = await rig(t);
  for (const [wish, name] of NAMES) {
    const made = await ready(client, directory, wish === undefined ? {} : { name: wish });
    assert.match(made.name, name);
    assert.ok(made.directory.endsWith(`/${made.name}`));
  }
  assert.equal((await client.get<string[]>(inDirectory(PATH, directory))).length, NAMES.length);
  await git(directory, "fsck", "--strict");
  const branch = await git(directory, "branch", "--list", "opencode/taken", "--create-reflog").catch(() => "");
  assert.equal(branch, "");
  await git(directory, "branch", "opencode/taken");
  assert.match((await ready(client, directory, { name: "taken" })).name, /^taken-/, "a branch of that name is kept");
});

test("two at the same time get names of their own", async (t) => {
  const { client, directory } = await rig(t);
  const made = await Promise.all(Array.from({ length: 4 }, () => ready(client, directory, { name: "same" })));
  assert.equal(new Set(made.map(({ branch }) => branch)).size, 4);
});

test("a worktree is removed with its branch and its changes; the branch of another's worktree stays", async (t) => {
  const { client, directory } = await rig(t);
  const made = await ready(client, directory, { name: "one" });
  writeFileSync(join(made.directory, "a.txt"), "changed\n");
  const gone = { directory: made.directory };
  assert.deepEqual(await send(client, "DELETE", PATH, directory, gone), { status: 200, body: true });
  assert.equal(existsSync(made.directory), false);
  assert.deepEqual(await client.get(inDirectory(PATH, directory)), []);
  assert.equal(await git(directory, "branch", "--list", "opencode/*"), "");
  assert.equal(await git(directory, "worktree", "list", "--porcelain").then((text) => text.includes("one")), false);
  const project = await client.get<{ sandboxes: string[] }>(inDirectory("/project/current", directory));
  assert.deepEqual(project.sandboxes, []);
  assert.deepEqual(await send(client, "DELETE", PATH, directory, gone), { status: 200, body: true });
  assert.equal((await ready(client, directory, { name: "one" })).name, "one", "the name is free again");
  const own = join(await temporary(t), "own");
  await git(directory, "worktree", "add", "--quiet", "-b", "mine", own);
  assert.equal((await send(client, "DELETE", PATH, directory, { directory: own })).status, 200);
  assert.notEqual(await git(directory, "branch", "--list", "mine"), "");
});

test("a reset brings a worktree back to the main branch, without files that are not of it", async (t) => {
  const { client, directory } = await rig(t);
  const made = await ready(client, directory, { name: "one" });
  for (const name of ["a.txt", "new.txt", "x.log"]) writeFileSync(join(made.directory, name), "changed\n");
  await git(made.directory, "commit", "--quiet", "--all", "--message", "work");
  const reset = { directory: made.directory };
  assert.deepEqual(await send(client, "POST", `${PATH}/reset`, directory, reset), { status: 200, body: true });
  assert.equal(readFileSync(join(made.directory, "a.txt"), "utf8"), "a\n");
  assert.deepEqual(
    ["new.txt", "x.log"].map((name) => existsSync(join(made.directory, name))),
    [false, false],
  );
  assert.equal(await git(made.directory, "symbolic-ref", "--short", "HEAD"), "opencode/one");
});

test("what is no worktree of the repository is neither removed nor reset", async (t) => {
  const { client, directory } = await rig(t);
  const other = await temporary(t);
  await writeFile(join(other, "kept"), "x");
  const inside = join(directory, "sub");
  await mkdir(inside);
  const refused = async (method: "POST" | "DELETE", path: string, at: string, target: string): Promise<string> => {
    const { status, body } = await send<{ name: string; data: { message: string } }>(client, method, path, at, {
      directory: target,
    });
    return `${status} ${body.name} ${body.data.message}`;
  };
  for (const target of [other, directory, inside, "/"])
    assert.match(await refused("DELETE", PATH, directory, target), /^400 WorktreeRemoveFailedError .* working tree$/);
  assert.ok(existsSync(join(other, "kept")) && existsSync(join(directory, "a.txt")));
  const reset = `${PATH}/reset`;
  assert.match(await refused("POST", reset, directory, directory), /^400 WorktreeResetFailedError Cannot reset/);
  assert.match(await refused("POST", reset, directory, other), /^400 WorktreeResetFailedError Worktree not found$/);
  assert.match(await refused("DELETE", PATH, other, other), /^400 WorktreeNotGitError /);
  const made = await ready(client, directory, { name: "one" });
  await git(directory, "worktree", "lock", made.directory);
  assert.match(await refused("DELETE", PATH, directory, made.directory), /^400 .*is locked: `git worktree unlock`/);
});

test("a repository without a commit, and a directory without a repository, say so", async (t) => {
  const { client } = await opencodeRig(t);
  const empty = await temporary(t);
  assert.deepEqual(await client.get(inDirectory(PATH, empty)), []);
  const none = await send<{ name: string }>(client, "POST", PATH, empty, {});
  assert.deepEqual([none.status, none.body.name], [400, "WorktreeNotGitError"]);
  const fresh = await temporary(t);
  await git(fresh, "init", "--quiet");
  const { status, body } = await send<{ name: string; data: { message: string } }>(client, "POST", PATH, fresh, {});
  assert.deepEqual([status, body.name], [400, "WorktreeCreateFailedError"]);
  assert.match(body.data.message, /no commit yet/);
});

test("a worktree in which a session works is not removed", async (t) => {
  const { client, directory } = await rig(t);
  const made = await ready(client, directory, { name: "one" });
  const { body } = await send<{ id: string }>(client, "POST", "/session", made.directory, {});
  await send(client, "POST", `/session/${body.id}/prompt_async`, made.directory, {
    parts: [{ type: "text", text: "Read a.txt and add a line at the end" }],
  });
  await eventually(
    "it asks",
    async () => (await client.get<unknown[]>(inDirectory("/permission", made.directory))).length > 0,
  );
  const refused = await send<{ data: { message: string } }>(client, "DELETE", PATH, directory, {
    directory: made.directory,
  });
  assert.match(refused.body.data.message, new RegExp(`^session ${body.id} works in .*: abort it first$`));
  await send(client, "POST", `/session/${body.id}/abort`, made.directory);
  assert.equal((await send(client, "DELETE", PATH, directory, { directory: made.directory })).status, 200);
});

test("a crash leaves nothing that stands in the way of the next worktree", async (t) => {
  const { client, directory } = await rig(t);
  const made = await ready(client, directory, { name: "one" });
  // As a kill in the middle leaves it: the state without the files, and the files without a branch.
  await rm(made.directory, { recursive: true });
  assert.deepEqual(await client.get(inDirectory(PATH, directory)), []);
  const next = await ready(client, directory, { name: "two" });
  assert.deepEqual(await client.get(inDirectory(PATH, directory)), [next.directory]);
  assert.equal((await git(directory, "worktree", "list")).includes("/one"), false, "its state was pruned");
  await git(directory, "update-ref", "-d", "refs/heads/opencode/two");
  assert.equal((await send(client, "DELETE", PATH, directory, { directory: next.directory })).status, 200);
  assert.equal(existsSync(next.directory), false);
});

test("no program that a repository names is run by making, resetting and removing a worktree", async (t) => {
  const { client } = await opencodeRig(t);
  const { directory, markers } = await trappedRepository(t);
  const { status, body } = await send<Worktree>(client, "POST", PATH, directory, { name: "one" });
  assert.equal(status, 200, JSON.stringify(body));
  await eventually("the files are there", () => existsSync(join(body.directory, "b.smudge")));
  const reset = await send(client, "POST", `${PATH}/reset`, directory, { directory: body.directory });
  assert.equal(reset.status, 200, JSON.stringify(reset.body));
  assert.equal((await send(client, "DELETE", PATH, directory, { directory: body.directory })).status, 200);
  assert.deepEqual(await markers(), []);
});
