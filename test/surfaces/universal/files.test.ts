import assert from "node:assert/strict";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, type FileName, type UsedDirectory } from "../../../src/client/index.ts";
import type { Api } from "../../support/api.ts";
import { startServer, temporary } from "../../support/server.ts";
import { repository, files as write } from "../opencode/rig.ts";

async function found(api: Api, directory: string, q: string, more = ""): Promise<string[]> {
  const query = `directory=${encodeURIComponent(directory)}&q=${encodeURIComponent(q)}${more}`;
  const { files } = await api.expect<{ files: FileName[] }>(200, "GET", `/v1/files?${query}`);
  return files.map(({ path, directory: isDirectory }) => (isDirectory ? `${path}/` : path));
}

test("files of a repository are found by letters of their path, without what git ignores", async (t) => {
  const { api } = await startServer(t);
  const directory = await repository(t, {
    ".gitignore": "build/\n",
    "src/main.ts": "",
    "src/deep/main.test.ts": "",
    "docs/read me.md": "",
  });
  await write(directory, { "build/main.js": "", "new.ts": "" });
  assert.deepEqual(await found(api, directory, "main"), ["src/main.ts", "src/deep/main.test.ts"]);
  assert.deepEqual(await found(api, directory, "deep"), ["src/deep/", "src/deep/main.test.ts"]);
  assert.deepEqual(await found(api, directory, "new"), ["new.ts"], "one that git does not know yet");
  assert.deepEqual(await found(api, directory, "readme"), ["docs/read me.md"]);
  assert.equal((await found(api, directory, "")).length, 8, "nothing fits everything");
  assert.deepEqual(await found(api, directory, "main", "&limit=1"), ["src/main.ts"]);
  const client = createClient({ url: api.url });
  assert.deepEqual(await client.files({ directory, q: "deep", limit: 1 }), [{ path: "src/deep", directory: true }]);
});

test("odd words find nothing, or the odd names that they fit", async (t) => {
  const { api } = await startServer(t);
  const directory = await temporary(t);
  await write(directory, { "a[1].txt": "", "é😀.md": "", "-rf": "", "$(id)": "" });
  assert.deepEqual(await found(api, directory, "[1]"), ["a[1].txt"]);
  assert.deepEqual(await found(api, directory, "😀"), ["é😀.md"]);
  assert.deepEqual(await found(api, directory, "-rf"), ["-rf"]);
  assert.deepEqual(await found(api, directory, "$(id)"), ["$(id)"]);
  for (const q of ["..", "../../etc/passwd", "/etc/passwd", "\0", "(((((", "\\", "%", "*"])
    assert.deepEqual(await found(api, directory, q), [], q);
  await api.refused("invalid", "GET", `/v1/files?q=${"x".repeat(1_001)}`);
  for (const limit of ["0", "201", "x"]) await api.refused("invalid", "GET", `/v1/files?limit=${limit}`);
});

test("names behind links out of the directory are not told, and a directory outside of the roots is refused", async (t) => {
  const [root, outside] = [await temporary(t), await temporary(t)];
  await write(outside, { "secret.txt": "" });
  await write(root, { "mine.txt": "" });
  await symlink(outside, join(root, "out"));
  const { api } = await startServer(t, { roots: [root], directory: root });
  assert.deepEqual(await found(api, root, "txt"), ["mine.txt"]);
  for (const directory of [outside, join(root, "out"), join(root, "..")])
    await api.refused("forbidden", "GET", `/v1/files?directory=${encodeURIComponent(directory)}`);
  await api.refused("invalid", "GET", "/v1/files?directory=relative");
  await api.refused("invalid", "GET", `/v1/files?directory=${encodeURIComponent(join(root, "missing"))}`);
  await api.refused("invalid", "GET", `/v1/files?directory=${encodeURIComponent(join(root, "mine.txt"))}`);
  const { files } = await api.expect<{ files: FileName[] }>(200, "GET", "/v1/files?q=mine");
  assert.deepEqual(files, [{ path: "mine.txt", directory: false }], "the server's own directory");
});

test("directories of sessions come newest first, with the server's own behind them", async (t) => {
  const { api, directory } = await startServer(t);
  const [one, other] = [await temporary(t, "parley-one-"), await temporary(t, "parley-other-")];
  const first = await api.create({ directory: one });
  await api.create({ directory: one });
  await api.create({ directory: other });
  await api.ask(first.id, "[[subagent]]");
  const { directories } = await api.expect<{ directories: UsedDirectory[] }>(200, "GET", "/v1/directories");
  assert.deepEqual(
    directories.map(({ path, sessions, updated }) => [path, sessions, updated !== undefined]),
    [
      [one, 2, true],
      [other, 1, true],
      [directory, 0, false],
    ],
  );
  assert.equal(directories[0]?.updated, (await api.session(first.id)).updated);
  const client = createClient({ url: api.url });
  assert.deepEqual(await client.directories(), directories);
  assert.deepEqual(
    (await client.directories({ q: "one", limit: 1 })).map(({ path }) => path),
    [one],
  );
});

test("directories outside of the roots are left out", async (t) => {
  const server = await startServer(t);
  const [root, outside] = [await temporary(t), await temporary(t)];
  await mkdir(join(root, "in"));
  for (const directory of [join(root, "in"), outside]) await server.api.create({ directory });
  await server.restart({ roots: [root] });
  const { directories } = await server.api.expect<{ directories: UsedDirectory[] }>(200, "GET", "/v1/directories");
  assert.deepEqual(
    directories.map(({ path }) => path),
    [join(root, "in"), root],
  );
});

test("a directory with many thousand files answers within its bound", async (t) => {
  const { api } = await startServer(t);
  const directory = await temporary(t);
  for (let folder = 0; folder < 20; folder++) {
    await mkdir(join(directory, `d${folder}`));
    await Promise.all(Array.from({ length: 250 }, (_, n) => writeFile(join(directory, `d${folder}`, `f${n}.txt`), "")));
  }
  assert.equal((await found(api, directory, "f7", "&limit=200")).length, 200);
  assert.deepEqual((await found(api, directory, "d3/f249"))[0], "d3/f249.txt");
  await rm(directory, { recursive: true });
  await api.refused("invalid", "GET", `/v1/files?directory=${encodeURIComponent(directory)}`);
});
