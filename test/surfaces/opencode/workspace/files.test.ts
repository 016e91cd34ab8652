import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { OpencodeClient } from "../../../support/opencode.ts";
import { temporary } from "../../../support/server.ts";
import { files, git, inDirectory, opencodeRig, repository } from "../rig.ts";

interface Node {
  name: string;
  path: string;
  absolute: string;
  type: string;
  ignored: boolean;
}

const SECRET = "the secret outside";

/** A directory with links of all kinds, and a secret beside it. */
async function place(t: TestContext): Promise<{ inside: string; outside: string }> {
  const root = await temporary(t);
  const inside = join(root, "in");
  await files(root, { "out/secret.txt": SECRET, "in/a.txt": "plain", "in/sub/b.txt": "deep" });
  const outside = join(root, "out");
  await symlink(join(outside, "secret.txt"), join(inside, "link.txt"));
  await symlink(outside, join(inside, "linkdir"));
  await symlink("a.txt", join(inside, "good.txt"));
  await symlink("sub", join(inside, "gooddir"));
  return { inside, outside };
}

const list = (client: OpencodeClient, directory: string, path: string): Promise<Node[]> =>
  client.get(inDirectory(`/file?path=${encodeURIComponent(path)}`, directory));

test("a directory is listed, directories first, with what git leaves out marked", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, {
    ".gitignore": "dist/\n*.log\n",
    "src/a.ts": "a",
    "src/generated.log": "x",
    "z.txt": "z",
    "über größe.txt": "ü",
  });
  await files(directory, { "dist/out.js": "x", "debug.log": "x" });
  const nodes = await list(client, directory, ".");
  assert.deepEqual(
    nodes.map(({ path, type, ignored }) => [path, type, ignored]),
    [
      [".git/", "directory", true],
      ["dist/", "directory", true],
      ["src/", "directory", false],
      [".gitignore", "file", false],
      ["debug.log", "file", true],
      ["z.txt", "file", false],
      ["über größe.txt", "file", false],
    ],
  );
  assert.deepEqual(nodes[2], {
    name: "src",
    path: "src/",
    absolute: join(directory, "src"),
    type: "directory",
    ignored: false,
  });
  const inner = await list(client, directory, "src");
  assert.deepEqual(
    inner.map(({ path, ignored }) => [path, ignored]),
    [
      ["src/a.ts", false],
      ["src/generated.log", true],
    ],
  );
});

test("more files than one command can be told of are marked all the same", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { ".gitignore": "*7.log\n" });
  const names = Array.from({ length: 1_000 }, (_, at) => `many/${at}.log`);
  await files(directory, Object.fromEntries(names.map((name) => [name, ""])));
  const nodes = await list(client, directory, "many");
  assert.equal(nodes.length, 1_000);
  assert.deepEqual(
    nodes.filter(({ ignored }) => ignored).map(({ name }) => name),
    nodes.filter(({ name }) => name.endsWith("7.log")).map(({ name }) => name),
  );
});

test("text comes as it is, anything else as base64 with its type", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  const png = Buffer.from("89504e470d0a1a0a0000", "hex");
  await files(directory, {
    "a.txt": "\n  one\r\ntwo ü\n\n",
    "empty.txt": "",
    "picture.PNG": png,
    "latin.txt": Buffer.from([0x66, 0xfc, 0x72]),
  });
  const read = (path: string): Promise<object> => client.get(inDirectory(`/file/content?path=${path}`, directory));
  assert.deepEqual(await read("a.txt"), { type: "text", content: "\n  one\r\ntwo ü\n\n" });
  assert.deepEqual(await read("empty.txt"), { type: "text", content: "" });
  assert.deepEqual(await read("picture.PNG"), {
    type: "binary",
    content: png.toString("base64"),
    encoding: "base64",
    mimeType: "image/png",
  });
  const latin = (await read("latin.txt")) as Record<string, string>;
  assert.deepEqual([latin.type, latin.mimeType], ["binary", "application/octet-stream"]);
  const absolute = await read(encodeURIComponent(join(directory, "empty.txt")));
  assert.deepEqual(absolute, { type: "text", content: "" });
});

test("a missing file, a thing that is no file and a file that is too large are refused with the reason", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  await mkdir(join(directory, "sub"));
  await writeFile(join(directory, "large.bin"), Buffer.alloc(10_000_001));
  const refusals: [path: string, status: number, name: string, says: RegExp][] = [
    ["/file/content?path=nothing.txt", 404, "NotFoundError", /nothing\.txt does not exist/],
    ["/file?path=nothing", 404, "NotFoundError", /nothing does not exist/],
    ["/file/content?path=sub", 400, "BadRequest", /is not a file/],
    ["/file?path=large.bin", 400, "BadRequest", /not a directory/],
    ["/file/content?path=large.bin", 413, "FileTooLargeError", /10000001 bytes; expected at most 10000000/],
    ["/file", 400, "BadRequest", /path/],
  ];
  for (const [path, status, name, says] of refusals) {
    const reply = await client.call<{ name: string; data: { message: string } }>("GET", inDirectory(path, directory));
    assert.deepEqual([reply.status, reply.body.name], [status, name], path);
    assert.match(reply.body.data.message, says);
  }
  await client.expect(404, "GET", inDirectory("/file?path=.", join(directory, "nowhere")));
});

/** As it stands: a client of the web's own would put it right before it is sent. */
function rawGet(url: string, path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.once("error", reject).end();
  });
}

test("no path leads out of the directory: not up, not absolute, not by a link, not by a NUL", async (t) => {
  const { client } = await opencodeRig(t);
  const { inside, outside } = await place(t);
  const escapes = [
    "../out/secret.txt",
    "sub/../../out/secret.txt",
    join(outside, "secret.txt"),
    "/etc/passwd",
    "link.txt",
    "linkdir/secret.txt",
    "linkdir",
    "a.txt\0/../../out/secret.txt",
    "..",
  ];
  for (const path of escapes) {
    const asked = encodeURIComponent(path);
    for (const route of [`/file/content?path=${asked}`, `/file?path=${asked}`, `/api/fs/list?path=${asked}`]) {
      const { status, text } = await client.call("GET", inDirectory(route, inside));
      assert.equal(status, 400, `${route}: ${text}`);
      assert.ok(!text.includes(SECRET), route);
    }
    const read = await rawGet(client.url, inDirectory(`/api/fs/read/${asked}`, inside));
    assert.ok([400, 404].includes(read.status), `${path} -> ${read.status} ${read.text}`);
    assert.ok(!read.text.includes(SECRET), path);
  }
  for (const path of ["../out/secret.txt", "%2e%2e/out/secret.txt", "sub/..%2f../out/secret.txt"]) {
    const { status, text } = await rawGet(client.url, inDirectory(`/api/fs/read/${path}`, inside));
    assert.ok([400, 404].includes(status), `${path} -> ${status} ${text}`);
    assert.ok(!text.includes(SECRET), path);
  }
});

test("links that stay inside are followed, and listed as what they lead to", async (t) => {
  const { client } = await opencodeRig(t);
  const { inside } = await place(t);
  const nodes = await list(client, inside, ".");
  assert.deepEqual(
    nodes.map(({ path }) => path),
    ["gooddir/", "sub/", "a.txt", "good.txt"],
  );
  assert.deepEqual(await client.get(inDirectory("/file/content?path=gooddir/b.txt", inside)), {
    type: "text",
    content: "deep",
  });
});

test("a file is served as bytes, never as a page", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await temporary(t);
  await files(directory, { "sub/a b.html": "<script>alert(1)</script>" });
  const response = await fetch(`${client.url}${inDirectory("/api/fs/read/sub/a%20b.html", directory)}`);
  assert.equal(response.headers.get("content-type"), "application/octet-stream");
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal(await response.text(), "<script>alert(1)</script>");
  const missing = await client.call<{ _tag: string }>("GET", inDirectory("/api/fs/read/nothing", directory));
  assert.deepEqual([missing.status, missing.body._tag], [404, "NotFoundError"]);
});

test("the status of files is that of git", async (t) => {
  const { client } = await opencodeRig(t);
  const directory = await repository(t, { "a.txt": "one\ntwo\n", "gone.txt": "x\n" });
  await files(directory, { "a.txt": "one\n2\nthree\n", "new.txt": "n\nm" });
  await git(directory, "rm", "--quiet", "gone.txt");
  assert.deepEqual(await client.get(inDirectory("/file/status", directory)), [
    { path: "a.txt", added: 2, removed: 1, status: "modified" },
    { path: "gone.txt", added: 0, removed: 1, status: "deleted" },
    { path: "new.txt", added: 2, removed: 0, status: "added" },
  ]);
});
