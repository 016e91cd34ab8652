import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../support/eventually.ts";
import { OpencodeClient } from "../../../support/opencode.ts";
import { temporary } from "../../../support/server.ts";
import { files, git, inDirectory, type OpencodeRig, opencodeRig, repository } from "../rig.ts";

const PATH = "/experimental/worktree";

interface Rig extends OpencodeRig {
  /** The main checkout, with a change that is in no commit. */
  main: string;
  send(method: "POST" | "DELETE", path: string, body: object): Promise<{ status: number; text: string }>;
  copied(directory: string): Promise<string>;
}

async function rig(t: TestContext, options: Parameters<typeof opencodeRig>[1] = {}): Promise<Rig> {
  const made = await opencodeRig(t, options);
  // The directory above it is one of the test's own, too.
  const main = join(await temporary(t), "main");
  await git(await repository(t, { "a.txt": "a\n" }), "clone", "--quiet", ".", main);
  await files(main, { "a.txt": "changed\n", "new.txt": "new\n" });
  const send: Rig["send"] = (method, path, body) => made.client.call(method, inDirectory(path, main), { body });
  const { id } = await made.client.get<{ id: string }>(inDirectory("/project/current", main));
  const copied = async (directory: string): Promise<string> => {
    const wish = { strategy: "git_worktree", directory, name: "copy" };
    const { status, text } = await send("POST", `/experimental/project/${id}/copy`, wish);
    assert.equal(status, 200, text);
    return (JSON.parse(text) as { directory: string }).directory;
  };
  return { ...made, main, send, copied };
}

/** A state in a repository that names a directory as its checkout, which does not know of it. */
async function forge(main: string, directory: string, name = "forged"): Promise<void> {
  const head = await git(main, "rev-parse", "HEAD");
  const state = join(main, ".git", "worktrees", name);
  await files(state, { HEAD: `${head}\n`, commondir: "../..\n", gitdir: `${join(directory, ".git")}\n` });
}

test("a directory that a repository only claims as its checkout is neither listed, reset nor removed", async (t) => {
  const { client, main, send } = await rig(t);
  const plain = await temporary(t);
  await files(plain, { "kept.txt": "kept\n" });
  const other = await repository(t, { "kept.txt": "kept\n" });
  const above = dirname(main);
  for (const [at, directory] of [plain, other, main, above].entries()) await forge(main, directory, `forged${at}`);
  assert.deepEqual(await client.get(inDirectory(PATH, main)), []);
  const { id } = await client.get<{ id: string }>(inDirectory("/project/current", main));
  for (const directory of [plain, other, main, above]) {
    const answers = [
      await send("POST", `${PATH}/reset`, { directory }),
      await send("DELETE", PATH, { directory }),
      await send("DELETE", `/experimental/project/${id}/copy`, { directory, force: true }),
    ];
    for (const { status, text } of answers) assert.equal(status, 400, `${directory}: ${text}`);
  }
  for (const directory of [plain, other]) assert.equal(readFileSync(join(directory, "kept.txt"), "utf8"), "kept\n");
  assert.equal(readFileSync(join(main, "a.txt"), "utf8"), "changed\n");
});

const REPLACED: [what: string, replace: (dotGit: string, main: string) => Promise<void>][] = [
  ["is gone", (dotGit) => rm(dotGit)],
  ["leads to the main checkout", (dotGit, main) => writeFile(dotGit, `gitdir: ${join(main, ".git")}\n`)],
  [
    "leads to another worktree",
    async (dotGit, main) => {
      await git(main, "worktree", "add", "--quiet", "--detach", join(dirname(dotGit), "..", "other"));
      await writeFile(dotGit, `gitdir: ${join(main, ".git", "worktrees", "other")}\n`);
    },
  ],
];

for (const [what, replace] of REPLACED)
  test(`a reset of a copy whose .git ${what} changes nothing elsewhere`, async (t) => {
    const { main, send, copied } = await rig(t);
    const copy = await copied(join(main, "copies"));
    await git(main, "checkout", "--quiet", "-b", "work");
    await git(main, "commit", "--quiet", "--allow-empty", "--message", "second");
    const head = await git(main, "rev-parse", "HEAD");
    await replace(join(copy, ".git"), main);
    const { status, text } = await send("POST", `${PATH}/reset`, { directory: copy });
    assert.equal(status, 400, text);
    assert.equal(readFileSync(join(main, "a.txt"), "utf8"), "changed\n");
    assert.ok(existsSync(join(main, "new.txt")));
    assert.equal(await git(main, "rev-parse", "work"), head);
    assert.match(await git(main, "status", "--porcelain"), /^M a.txt\n/m);
  });

test("a worktree of Parley's own whose removal was cut off can be removed, and is not reset", async (t) => {
  const { main, send } = await rig(t);
  const { text } = await send("POST", PATH, { name: "one" });
  const { directory } = JSON.parse(text) as { directory: string };
  await eventually("the files are there", () => existsSync(join(directory, "a.txt")));
  await eventually("git is done", async () => (await git(directory, "status", "--porcelain")) === "");
  await rm(join(directory, ".git"));
  assert.equal((await send("POST", `${PATH}/reset`, { directory })).status, 400);
  assert.equal((await send("DELETE", PATH, { directory })).status, 200);
  assert.equal(existsSync(directory), false);
  assert.deepEqual(await readdir(join(main, ".git", "worktrees")).catch(() => []), []);
});

test("a worktree is not trusted because an older one of its name was", async (t) => {
  const trust = { file: join(await temporary(t), "trusted"), configured: [] };
  const { server, main, send } = await rig(t, { trust });
  await server.parley.gateway.trust.add(main);
  const made = async (): Promise<string> => {
    const { text } = await send("POST", PATH, { name: "one", startCommand: "touch ran" });
    return (JSON.parse(text) as { directory: string }).directory;
  };
  const first = await made();
  await eventually("it was started", () => existsSync(join(first, "ran")));
  await git(main, "worktree", "remove", "--force", first);
  await git(main, "branch", "-D", "opencode/one");
  await server.parley.gateway.trust.remove(main);
  assert.equal(await made(), first);
  assert.equal(server.parley.gateway.trust.trusts(first), false);
});

test("with a root, a worktree of a repository outside of it is out of reach, though it lies among Parley's own", async (t) => {
  const { client, server, main, send } = await rig(t);
  const { directory } = JSON.parse((await send("POST", PATH, { name: "one" })).text) as { directory: string };
  await eventually("git is done", async () => (await git(directory, "status", "--porcelain")) === "");
  assert.equal((await client.call("GET", inDirectory("/file/content?path=a.txt", directory))).status, 200);
  await server.restart({ roots: [await temporary(t)] });
  const limited = new OpencodeClient(server.parley.url);
  for (const place of [directory, dirname(directory)])
    assert.equal((await limited.call("GET", inDirectory("/file/content?path=a.txt", place))).status, 403, place);
  await server.restart({ roots: [main] });
  const own = new OpencodeClient(server.parley.url);
  assert.equal((await own.call("GET", inDirectory("/file/content?path=a.txt", directory))).status, 200);
});

test("with a root, a directory whose .git leads out of it gets no worktree, and no worktree outside is told", async (t) => {
  const [root, secret] = [await temporary(t), await repository(t, { "secret.txt": "secret\n" })];
  const { client } = await opencodeRig(t, { roots: [root] });
  const bait = join(root, "bait");
  await files(bait, { ".git": `gitdir: ${join(secret, ".git")}\n` });
  const made = await client.call("POST", inDirectory(PATH, bait), { body: { name: "one" } });
  assert.equal(made.status, 403, made.text);
  await git(secret, "worktree", "add", "--quiet", "--detach", join(await temporary(t), "elsewhere"));
  assert.deepEqual(await client.get(inDirectory(PATH, bait)), []);
});
