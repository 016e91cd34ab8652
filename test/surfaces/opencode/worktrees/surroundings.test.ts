import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../../support/eventually.ts";
import { OpencodeClient } from "../../../support/opencode.ts";
import { startServer, temporary } from "../../../support/server.ts";
import { Listener } from "../listener.ts";
import { git, inDirectory, opencodeRig, repository } from "../rig.ts";

interface Worktree {
  name: string;
  branch: string;
  directory: string;
}

const PATH = "/experimental/worktree";

test("a worktree of a trusted repository is trusted while it is there, and its start commands are run", async (t) => {
  const file = join(await temporary(t), "trusted");
  const server = await startServer(t, { defaultAgent: "house", trust: { file, configured: [] } });
  const client = new OpencodeClient(server.parley.url);
  const directory = await repository(t, { "a.txt": "a\n" });
  const { id } = await client.get<{ id: string }>(inDirectory("/project/current", directory));
  const start = { commands: { start: "cat a.txt > project-started" } };
  await client.expect(200, "PATCH", inDirectory(`/project/${id}`, directory), { body: start });
  const make = (): Promise<Worktree> =>
    client.expect<Worktree>(200, "POST", inDirectory(PATH, directory), { body: { startCommand: "touch started" } });

  const listener = new Listener(`${server.parley.url}/global/event`);
  await listener.connect();
  const careful = await make();
  const ready = await listener.until(({ type }) => type === "worktree.ready", "worktree.ready");
  assert.deepEqual(ready.properties, { name: careful.name, branch: careful.branch });
  const toast = await listener.until(({ type }) => type === "tui.toast.show", "a toast");
  assert.match(JSON.stringify(toast.properties), /start command was not run: .* not trusted \(parley trust /);
  assert.equal(existsSync(join(careful.directory, "project-started")), false);

  server.parley.gateway.trust.add(directory);
  const made = await make();
  await eventually("both commands ran", () => existsSync(join(made.directory, "started")));
  assert.equal(readFileSync(join(made.directory, "project-started"), "utf8"), "a\n", "after the files were there");
  assert.ok(server.parley.gateway.trust.trusts(made.directory));
  const gone = { body: { directory: made.directory } };
  await client.expect(200, "DELETE", inDirectory(PATH, directory), gone);
  assert.equal(readFileSync(file, "utf8").includes(made.directory), false);
});

test("with a root, worktrees of repositories in it can be worked in, and nothing else of the data directory", async (t) => {
  const directory = await repository(t, { "a.txt": "a\n" });
  const server = await startServer(t, { defaultAgent: "house", roots: [directory], directory });
  const client = new OpencodeClient(server.parley.url);
  const made = await client.expect<Worktree>(200, "POST", inDirectory(PATH, directory), { body: {} });
  assert.equal((await client.call("POST", inDirectory("/session", made.directory), { body: {} })).status, 200);
  const { dataDirectory } = server;
  for (const path of [dataDirectory, join(dataDirectory, "worktrees"), join(made.directory, "..", "..", "..", "run")])
    assert.equal((await client.call("GET", inDirectory("/path", path))).status, 403, path);
  const outside = join(await temporary(t), "own");
  await git(directory, "worktree", "add", "--quiet", outside);
  for (const [method, path] of [
    ["DELETE", PATH],
    ["POST", `${PATH}/reset`],
  ] as const) {
    const { status } = await client.call(method, inDirectory(path, directory), { body: { directory: outside } });
    assert.equal(status, 403, `${method} ${path}`);
  }
  const { id } = await client.get<{ id: string }>(inDirectory("/project/current", directory));
  const copy = `/experimental/project/${id}/copy`;
  const body = { strategy: "git_worktree", directory: join(outside, "copies"), force: true };
  for (const method of ["POST", "DELETE"])
    assert.equal((await client.call(method, inDirectory(copy, directory), { body })).status, 403, `${method} copy`);
  assert.ok(existsSync(join(outside, "a.txt")));
});

test("a copy of a project is a checkout at the place that the client names", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "a.txt": "a\n" });
  const place = join(await temporary(t), "copies");
  const { id } = await client.get<{ id: string }>(inDirectory("/project/current", directory));
  const copy = `/experimental/project/${id}/copy`;
  const call = async (method: string, path: string, body: object) => {
    const { status, text } = await client.call(method, inDirectory(path, directory), { body });
    return { status, body: text === "" ? undefined : (JSON.parse(text) as { directory: string; data: object }) };
  };
  const wish = { strategy: "git_worktree", directory: place, name: "Copy one" };
  const { status, body } = await call("POST", copy, wish);
  assert.deepEqual([status, body?.directory], [200, join(place, "copy-one")]);
  const made = body?.directory ?? "";
  assert.equal(readFileSync(join(made, "a.txt"), "utf8"), "a\n");
  assert.equal(await git(made, "rev-parse", "--abbrev-ref", "HEAD"), "HEAD", "it is on no branch");
  assert.match((await call("POST", copy, wish)).body?.directory ?? "", /copy-one-[a-z]+-[a-z]+$/);
  const strange = await call("POST", copy, { ...wish, strategy: "rsync" });
  assert.match(JSON.stringify(strange), /^{"status":400,"body":{"name":"ProjectCopyError".*unavailable: rsync/);
  writeFileSync(join(made, "new.txt"), "x");
  const careful = await call("DELETE", copy, { directory: made, force: false });
  assert.match(JSON.stringify(careful), /^{"status":400.*"forceRequired":true/);
  assert.equal((await call("DELETE", copy, { directory: made, force: true })).status, 204);
  assert.equal(existsSync(made), false);
  for (const target of [made, directory, place])
    assert.equal((await call("DELETE", copy, { directory: target, force: true })).status, 400, target);
  assert.equal((await call("POST", `${copy}/refresh`, {})).status, 204);
  assert.match(JSON.stringify((await call("POST", `${copy}/generate-name`, {})).body), /^{"name":"[a-z]+-[a-z]+"}$/);
  assert.equal((await call("POST", "/experimental/project/none/copy/refresh", {})).status, 404);
});
